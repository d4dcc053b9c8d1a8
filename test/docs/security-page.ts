import { type Keeper, keepersOf, type SecurityCheck, securityChecks } from './security-checks.ts'

const HEAD = `# Security

relevo holds keys, starts programs and decides where words go. What it promises, and for each check which test keeps it. Made by \`npm run docs\` from the checks under
\`test/corpus/security\` and from the titles of the tests, so that no row says more than a test does.

- **Keys.** A key is in the request that it signs and in nothing else: no event, outcome, error, log line, ledger row, notice, snapshot or inspector message has it, also where a provider says it back.
- **Whose key.** A profile's key, address, headers and body options are its own: no fallback, route, model switch or reload takes them elsewhere, and no redirect is followed with them.
- **Where words may go.** A turn that was decided to stay local is called on local profiles alone, in every retry, stream, recovery and switch; when they fail it ends in an error.
- **Who decides.** Settings, and what host and operator do. The words of a prompt, of an answer or of a tool choose no provider and no model; effort routing reads the class of a prompt.
- **What is kept.** Telemetry, logs, state and ledger hold no text of a prompt or an answer. The thread of a team is the one file with words, as it is for.
- **Files.** What relevo writes is for its user alone (0600, folders 0700). A ledger, a thread, a log or a folder of state that others may open is refused with its path and the command that closes it.
- **Bounds.** Every line, body, event, wait and depth that comes from outside has a limit, and what is over it is a failure like another.
- **Programs.** A coding-agent CLI is started without a shell, with a cut-down environment, and ended with everything that it started. It is no sandbox: it does what its user may do.
- **The gateway.** It listens on this machine unless keys are set. Keys are compared in constant time, each sees its own, and none reaches a provider. No address of a provider comes from a request, and no header of a client but one of a list.
- **The page.** Another site can neither read it nor order anything: host, origin and a token of this start are asked for. It runs its own script alone, and shows words of others as text.
- **Not promised.** Whoever runs code as the same user, reads the memory of the process or writes its settings has the keys. A key file is read whatever its rights are: platforms that mount secrets make them so.
- **Figures.** A check may name another figure than the one that holds here; the threat is met with it, and measured. A line of a program may have 16 MiB and its output 512 MiB (one prints an image twice in a line; its answer has 32 MiB),
  a stream 64 MiB (128,000 tokens are 43 MB on the wire), a line of \`openai-responses\` 16 MiB (its last event repeats the answer). Names of models may hold spaces and brackets. There is no \`captureContent\`: no message holds content.
- **A hole.** Tell the maintainers in private, by the vulnerability report of the repository that you have relevo from, and not in a public issue: the version, the smallest input, what it leads to; never a key that is in use.
`

const PARTS: readonly (readonly [prefix: string, heading: string])[] = [
  ['SEC', 'Secrets'],
  ['AG', 'Boundaries'],
  ['TEL', 'What is told'],
  ['SSRF', 'Addresses'],
  ['HDR', 'Headers'],
  ['CLI', 'Programs'],
  ['LIMIT', 'Bounds'],
  ['RE', 'Patterns and notices'],
  ['FS', 'Files'],
  ['WEB', 'The page'],
  ['GW', 'The gateway'],
  ['DST', 'Several hosts'],
  ['SUP', 'The package'],
]

/** Why a check that no test keeps has none; undefined for those of the core, which have no excuse. */
const WAITS: Readonly<Record<string, string>> = {
  fleet: 'waits for several hosts that share limits, which are not there yet',
  package: 'waits for the publishing of the package',
}

export function securityPage(): string {
  const checks = securityChecks()
  const keepers = keepersOf(checks.map(({ id }) => id))
  const parts = PARTS.map(([prefix, heading]) => {
    const rows = checks.filter(({ id }) => id.startsWith(`${prefix}-`)).map((check) => rowOf(check, keepers.get(check.id) ?? []))
    return `## ${heading}\n\n| check | what it is about | kept by |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [HEAD, ...parts].join('\n')
}

function rowOf({ id, threat, owner }: SecurityCheck, keepers: readonly Keeper[]): string {
  const files = [...new Set(keepers.map(({ file }) => file))]
  const kept = files.map((file) => `\`${file}\`: ${keepers.find((keeper) => keeper.file === file && keeper.title !== '')?.title}`)
  return `| ${id} | ${cell(threat)} | ${kept.length === 0 ? (WAITS[owner] ?? 'no test') : cell(kept.join('; '))} |`
}

/** Text that ends no cell and begins no tag. */
function cell(text: string): string {
  return text.replace(/[|]/g, '\\|').replace(/</g, '&lt;').replace(/\s+/g, ' ')
}
