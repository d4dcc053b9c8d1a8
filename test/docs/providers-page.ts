import { FAMILIES } from '../../src/config/families.ts'
import { CHAT_DIALECT_TABLE, type Dialect } from '../../src/engines/http/openai-chat/dialects.ts'

/** `docs/reference/providers.md`: what a family stands for, and how the servers of the chat protocol differ, printed from the tables. */
const COLUMNS: Readonly<Record<keyof Dialect, string>> = {
  tokenLimit: 'name of the limit of output tokens',
  asksUsage: 'usage of a stream is asked for by `stream_options.include_usage`; a server that does not know the field tells it unasked',
  keyHeader: 'header that carries the key; `authorization`: as a bearer token',
  address:
    '`base`: `/chat/completions` below the endpoint; `azure`: a bare resource gets `/openai/v1` in between, with an `api-version` `/openai/deployments/{model}`',
  effort: 'how reasoning effort is said; `thinking`: on, without how much',
  schema: '`json_object`: the server knows no schema, so it goes into a system message in front',
  required: 'word for "some tool must be called"; `null`: the choice is left to the model',
  named: 'a tool that must be called: by an `object` with its name, or `alone` in the tools that are sent',
  none: 'no tool may be called: by the word, or the tools are `left_out`',
  ids: 'ids of tool calls that are taken as they are; others are mapped',
  reasoning: 'how the reasoning of an answer goes back to its issuer: under the `field` it came in, as `details`, as `parts` of the content, or not',
  demanded: 'field that every assistant message must have; one of another provider gets it empty',
  resultName: 'a tool result repeats the name of its tool',
  resultImages: 'images of a tool result: `in_result`, or in a user message `behind` the results of the step',
  userAfterResult: 'a user may speak behind a tool result; `false`: a short turn of the model is put between',
  options: 'where the options of a message (`providerOptions`) go: on the `message`, or on its last `part`',
}

const NAMES = Object.keys(COLUMNS) as (keyof Dialect)[]

export function providersPage(): string {
  const { compatible } = CHAT_DIALECT_TABLE
  const columns = NAMES.map((name) => `| \`${name}\` | ${said(compatible, name)} | ${COLUMNS[name]} |`)
  const rows = Object.entries(CHAT_DIALECT_TABLE).flatMap(([name, dialect]) => {
    const other = NAMES.filter((column) => said(dialect, column) !== said(compatible, column))
    return name === 'compatible' ? [] : [`| \`${name}\` | ${other.map((column) => `${column} ${said(dialect, column)}`).join(', ') || 'nothing'} |`]
  })
  return `# Providers

Made from \`src/config/families.ts\` and \`src/engines/http/openai-chat/dialects.ts\` by \`npm run docs\`; not to be edited.

## Families

What a profile \`<family>.<alias>\` is when it does not say so itself. \`{alias}\` is its alias: ${aliases()}; any other needs \`endpoint\`. A family
without \`api\` is a coding-agent CLI: its profile runs the program that is installed ([cli-engines.md](../cli-engines.md)).

| family | \`api\` | \`endpoint\` | zone | key |
|---|---|---|---|---|
${[...FAMILIES].map(([name, { api, endpoint, zone, keyless }]) => `| \`${name}\` | ${code(api)} | ${code(endpoint)} | ${zone} | ${keyless ? 'none' : 'needed'} |`).join('\n')}

## Dialects

How the servers that speak \`openai-chat\` differ. The dialect of a profile is its \`dialect\`, else the one named like its family, else \`compatible\`:

| what differs | \`compatible\` | meaning |
|---|---|---|
${columns.join('\n')}

| dialect | differs from \`compatible\` in |
|---|---|
${rows.join('\n')}
`
}

function aliases(): string {
  const named = [...FAMILIES].flatMap(([name, { alias }]) => (alias === null ? [] : [`for \`${name}\` ${alias.called}`]))
  return named.join(', ')
}

function said(dialect: Dialect, name: keyof Dialect): string {
  const value = name === 'ids' ? dialect.ids.fits.source : dialect[name]
  return `\`${String(value)}\``
}

function code(value: string | null): string {
  return value === null ? '' : `\`${value}\``
}
