import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** One of the files that the page is made of. */
export interface PageFile {
  readonly body: Buffer
  readonly type: string
  readonly tag: string
}

/** What there is, and nothing else: no path of a request ever names a file of the disk. */
const FILES: Readonly<Record<string, { readonly name: string; readonly type: string }>> = {
  '/': { name: 'index.html', type: 'text/html; charset=utf-8' },
  '/page.js': { name: 'page.js', type: 'text/javascript; charset=utf-8' },
  '/page.css': { name: 'page.css', type: 'text/css; charset=utf-8' },
}

/** Where the build puts them: beside what is built, and from the sources below the folder of that. */
const FOLDERS = ['./page/', '../../../dist/page/'].map((folder) => fileURLToPath(new URL(folder, import.meta.url)))

/** The files by the path that they are asked for by; null where the page was not built. They are read once. */
export function pageFiles(folders: readonly string[] = FOLDERS): ReadonlyMap<string, PageFile> | null {
  for (const folder of folders) {
    try {
      return new Map(Object.entries(FILES).map(([path, { name, type }]) => [path, fileOf(readFileSync(`${folder}/${name}`), type)]))
    } catch {
      // Not whole here; the next folder may have it.
    }
  }
  return null
}

function fileOf(body: Buffer, type: string): PageFile {
  return { body, type, tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"` }
}
