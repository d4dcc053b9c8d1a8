import { type Cell, FAULTS, type MatrixClient, played } from '../matrix.ts'
import type { RigProfile } from '../rig.ts'

/**
 * The truncation matrix as a table for people: a row a fault, a column a client and the protocol of its provider. A cell says whether
 * the client had the whole answer or raised, and how much it was shown before.
 */
export async function truncationTable(clients: readonly MatrixClient[], apis: readonly RigProfile['api'][], faults = FAULTS): Promise<string> {
  const columns = clients.flatMap((client) => apis.map((api) => ({ client, api })))
  const lines = [
    `| the provider … | ${columns.map(({ client, api }) => `${client.name} ← ${api}`).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
  ]
  for (const fault of faults) {
    const cells: string[] = []
    for (const { client, api } of columns) cells.push(verdictOf(await played(client, api, fault, false)))
    lines.push(`| \`${JSON.stringify(fault)}\` | ${cells.join(' | ')} |`)
  }
  return `${lines.join('\n')}\n`
}

function verdictOf({ text, raised, kind }: Cell): string {
  if (raised !== (kind !== 'ok')) return `DISHONEST: ${kind}, shown ${JSON.stringify(text)}`
  return raised ? `raised after ${text.length} characters` : 'whole'
}
