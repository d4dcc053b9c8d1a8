import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { ROOT } from '../architecture/source.ts'

/** The declarations as an editor reads them, from the package as a user gets it (`npm run build`), each door beside the source it was made from. */
const DOORS: Readonly<Record<string, string>> = {
  '.': 'src/index.ts',
  './machines': 'machines/index.ts',
  './testing': 'src/testing.ts',
  './host': 'src/host.ts',
  './ai-sdk': 'src/ai-sdk.ts',
  './sqlite': 'src/sqlite.ts',
  './genai-prices': 'src/genai-prices.ts',
  './otel': 'src/otel.ts',
}

const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { exports: Record<string, string | { types: string }> }
const declared = Object.entries(exports).flatMap(([door, target]) => (typeof target === 'string' ? [] : [[door, join(ROOT, target.types)] as const]))

const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile) as { config: { compilerOptions: object } }
const { options } = ts.convertCompilerOptionsFromJson({ ...config.compilerOptions, skipLibCheck: false }, ROOT)
const program = ts.createProgram([...declared.map(([, file]) => file), ...Object.values(DOORS).map((file) => join(ROOT, file))], options)

function namesOf(file: string): string[] {
  const source = program.getSourceFile(file)
  const module = source && program.getTypeChecker().getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is no module`)
  return program
    .getTypeChecker()
    .getExportsOfModule(module)
    .map((each) => each.name)
    .sort()
}

describe('the declarations of the package', () => {
  it('every door of package.json has a source', () => {
    expect(declared.map(([door]) => door)).toEqual(Object.keys(DOORS))
  })

  it.each(declared)('%s declares every name that its source exports, by that name', (door, file) => {
    expect(namesOf(file)).toEqual(namesOf(join(ROOT, DOORS[door] ?? '')))
  })

  it('they hold no error in a strict project that checks libraries', () => {
    const own = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(join(ROOT, 'dist')))
    expect(own.length).toBeGreaterThan(declared.length)
    const faults = own.flatMap((file) => program.getSemanticDiagnostics(file))
    expect(faults.map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`)).toEqual([])
  })
})
