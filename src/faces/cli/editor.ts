import { spawn } from 'node:child_process'
import { BadInput, EXIT } from './problems.ts'

/** Opens a file in the editor of the person and waits for it. The variable that names it may hold arguments, parted by spaces; no shell reads it. */
export function openInEditor(editor: string, path: string): Promise<number> {
  const [program = '', ...args] = editor.split(/\s+/)
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args, path], { stdio: 'inherit' })
    child.on('error', () => reject(new BadInput([`The editor \`${program}\` cannot be started. Set EDITOR to one that is installed.`])))
    child.on('exit', (code) => resolve(code === 0 ? EXIT.ok : EXIT.no))
  })
}
