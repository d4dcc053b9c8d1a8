import { defineConfig } from 'tsdown'

// One build for all doors, not one a door: modules that two doors share become one chunk, so that a class or a symbol
// seen through `relevo` and through `relevo/testing` is the same one.
export default defineConfig({
  entry: {
    index: 'src/index.ts',
    machines: 'machines/index.ts',
    testing: 'src/testing.ts',
    cli: 'src/faces/cli/main.ts',
    // Files of their own, so that package.json's `browser` can put one in the other's place.
    'undici-transport': 'src/engines/http/undici-transport.ts',
    'undici-transport.browser': 'src/engines/http/undici-transport.browser.ts',
  },
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The package is `type: module`: `.js` is ESM already.
  fixedExtension: false,
  hash: false,
  dts: true,
  // Nothing of node_modules is copied into dist/: every import of a package is a dependency of the package, or the build fails.
  deps: { onlyBundle: [] },
  report: false,
  logLevel: 'warn',
  // The declarations take most of a build and are worth it; a warning about that would fail the build.
  checks: { pluginTimings: false },
  failOnWarn: true,
})
