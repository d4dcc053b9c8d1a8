import type { Field } from './fields.ts'
import { fieldPath, settingFields } from './fields.ts'

/**
 * The settings reference, printed from the schemas so that it cannot say anything else than they do.
 */
export function settingsReference(): string {
  const fields = settingFields()
  const sections = [...new Set(fields.map(sectionOf))]
  return `${HEAD}\n${sections
    .map((section) =>
      sectionText(
        section,
        fields.filter((field) => sectionOf(field) === section),
      ),
    )
    .join('\n')}`
}

const HEAD = `# Settings

Made from the schemas in src/config by \`npm run docs\`; a test fails when it is stale.
The object given to \`createKernel\`, or the top level of \`relevo.yaml\`. \`<id>\` stands for a profile id, \`[i]\` for a place in a list.
A key that is not listed here is an error. Durations are in milliseconds.
`

/** The path of what holds a field; the settings themselves for those at the top. */
function sectionOf(field: Field): string {
  return fieldPath(field.path.slice(0, -1))
}

function sectionText(section: string, fields: readonly Field[]): string {
  const head = `## ${section === '' ? 'Top level' : `\`${section}\``}\n\n| setting | type | default | meaning |\n| --- | --- | --- | --- |\n`
  return `${head}${fields.map(rowText).join('')}`
}

function rowText(field: Field): string {
  const fallback = field.default === null ? 'required' : `\`${cell(field.default)}\``
  return `| \`${fieldPath(field.path)}\` | ${cell(field.type)} | ${fallback} | ${cell(field.description)} |\n`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}
