// Loads the project's sources anew for every mutation, with one file exchanged. Packages stay loaded, so that a load takes milliseconds.
//
// 1. Each module is compiled once, to a function; a load only calls them again.
// 2. Sources come as they were when the run began, whatever is edited meanwhile.
// 3. A load shares no module with another: charts are made when their module is, so a mutated chart needs all its readers anew.
import { createRequire } from 'node:module'
import { dirname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileFunction } from 'node:vm'
import ts from 'typescript'

const packages = createRequire(import.meta.url)

/** Makes a function that gives a `require` of project files by absolute path; its `changed` is `{ path, text }` or null. `sources`: path → text. */
export function linkerOf(sources) {
  const compiled = new Map()
  const original = (path) => {
    if (!compiled.has(path)) compiled.set(path, compile(path, sources.get(path)))
    return compiled.get(path)
  }
  return (changed) => linked(original, changed)
}

function linked(original, changed) {
  const modules = new Map()
  const load = (path) => {
    const present = modules.get(path)
    if (present !== undefined) return present.exports
    const module = { exports: {} }
    modules.set(path, module)
    const run = changed?.path === path ? compile(path, changed.text) : original(path)
    run(module.exports, (name) => (name.startsWith('.') ? load(resolve(dirname(path), name)) : packages(name)), module)
    return module.exports
  }
  return load
}

function compile(path, text) {
  const { outputText } = ts.transpileModule(text, {
    fileName: path,
    compilerOptions: {
      module: ts.ModuleKind.CommonJS,
      target: ts.ScriptTarget.ES2023,
      esModuleInterop: true,
      verbatimModuleSyntax: false,
      isolatedModules: true,
    },
  })
  // A function has no module of its own to say where it is.
  const located = outputText.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
  return compileFunction(located, ['exports', 'require', 'module'], { filename: path })
}
