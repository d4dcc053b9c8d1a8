import type { CliEngineResolver, CliOptions } from './resolver.ts'

/**
 * Stands in for cli-engines.ts where a bundler asks for a browser (package.json, field `browser`): a page starts no programs, so every CLI is
 * one that this machine lacks.
 */
export function resolveCliEngine(_options: CliOptions): CliEngineResolver {
  return Object.assign(() => undefined, {
    locate: ({ cli, family }: Parameters<CliEngineResolver['locate']>[0]) =>
      cli === null ? undefined : { command: cli.command ?? family, install: 'a page in a browser starts no programs, so run relevo in Node' },
    sweep() {},
    close: () => Promise.resolve(),
  })
}
