// The sources that are mutated, as a typed program: mutations are found by position in the syntax tree and by type, never by pattern.
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import ts from 'typescript'

/** The program over the given files, relative to `root`; project files are taken from `sources` (path → text). */
export function programOf(root, files, sources) {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files }, ts.sys, root)
  const host = ts.createCompilerHost(options, true)
  const { readFile } = host
  const read = (path) => sources.get(path) ?? readFile.call(host, path)
  host.readFile = read
  host.getSourceFile = (path, languageVersion) => {
    const text = read(path)
    return text === undefined ? undefined : ts.createSourceFile(path, text, languageVersion, true)
  }
  return ts.createProgram(
    files.map((file) => join(root, file)),
    options,
    host,
  )
}

/** Every TypeScript file below the given folders as it is now: path → text. */
export function readSources(root, folders) {
  const files = folders.flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(root, folder, String(name))))
  return new Map(files.filter((path) => path.endsWith('.ts')).map((path) => [path, readFileSync(path, 'utf8')]))
}

/** Collects the mutations of one file; each is a list of edits that are done together. */
export class Findings {
  #seen = new Set()
  mutations = []

  constructor(root, source) {
    this.source = source
    this.file = relative(root, source.fileName)
  }

  /** `edits`: `{ from, to, text }` by offset. Two mutations that come to the same text are one. */
  add(kind, node, what, edits) {
    const key = JSON.stringify(edits)
    if (this.#seen.has(key)) return
    this.#seen.add(key)
    const line = this.source.getLineAndCharacterOfPosition(node.getStart(this.source)).line + 1
    this.mutations.push({ kind, file: this.file, line, what: shortened(what), edits })
  }

  replace(kind, node, what, text) {
    this.add(kind, node, what, [{ from: node.getStart(this.source), to: node.getEnd(), text }])
  }

  textOf(node) {
    return node.getText(this.source)
  }
}

/** The edit that takes one element out of a list, with the comma behind it. */
export function withoutElement(source, elements, element) {
  const at = elements.indexOf(element)
  const next = elements[at + 1]
  const to = next === undefined ? elements.end : next.getStart(source)
  return { from: element.getStart(source), to, text: '' }
}

export function mutated(text, edits) {
  return [...edits]
    .sort((left, right) => right.from - left.from)
    .reduce((done, { from, to, text: by }) => done.slice(0, from) + by + done.slice(to), text)
}

/** The name of the function around a node, for people. */
export function ownerOf(node) {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if ((ts.isFunctionDeclaration(at) || ts.isMethodDeclaration(at)) && at.name !== undefined) return at.name.getText()
    if ((ts.isVariableDeclaration(at) || ts.isPropertyAssignment(at)) && at.initializer !== undefined && ts.isFunctionLike(at.initializer)) {
      return at.name.getText()
    }
  }
  return '(module)'
}

function shortened(text) {
  const line = text.replace(/\s+/g, ' ')
  return line.length <= 110 ? line : `${line.slice(0, 109)}…`
}
