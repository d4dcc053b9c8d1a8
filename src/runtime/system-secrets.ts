import type { SecretSource } from '../config/credential.ts'

/** Credentials of the machine: environment variables and files, as they are. Where there is neither (a browser), both are absent. */
export function systemSecrets(): SecretSource {
  return {
    env: (name) => globalThis.process?.env[name],
    file: (path) => {
      try {
        return globalThis.process?.getBuiltinModule('node:fs').readFileSync(path, 'utf8')
      } catch {
        // An unreadable file is an absent credential; the settings check says which and what to do.
        return undefined
      }
    },
  }
}
