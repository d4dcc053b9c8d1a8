import { defineConfig, type UserConfig } from 'tsdown'

const shared: UserConfig = {
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The package is `type: module`: `.js` is ESM already.
  fixedExtension: false,
  hash: false,
  // Nothing of node_modules is copied into dist/: every import of a package is a dependency of the package, or the build fails.
  deps: { onlyBundle: [] },
  report: false,
  logLevel: 'warn',
  // The declarations take most of a build and are worth it; a warning about that would fail the build.
  checks: { pluginTimings: false },
  failOnWarn: true,
}

// What a browser has another of stays a file of its own, at one known path, so that the field `browser` of package.json can put that in its place.
// Asking for a separate chunk is not enough: once two doors share it, the bundler moves it into a third file.
const APART = ['undici-transport', 'cli-engines', 'process-channels']
const apart = {
  name: 'apart',
  resolveId: (source: string) => {
    const name = APART.find((one) => source.endsWith(`/${one}.ts`))
    return name === undefined ? null : { id: `./${name}.js`, external: true }
  },
}

export default defineConfig([
  // One build for all doors, not one a door: modules that two doors share become one chunk, so that a class or a symbol
  // seen through `relevo` and through `relevo/testing` is the same one.
  {
    ...shared,
    entry: {
      index: 'src/index.ts',
      machines: 'machines/index.ts',
      testing: 'src/testing.ts',
      host: 'src/host.ts',
      'ai-sdk': 'src/ai-sdk.ts',
      sqlite: 'src/sqlite.ts',
      'genai-prices': 'src/genai-prices.ts',
      otel: 'src/otel.ts',
      cli: 'src/faces/cli/main.ts',
    },
    dts: true,
    // What doors share has names of its own. Left to itself the bundler names a chunk after a module in it, and where that is a door's, the
    // declarations of the door gave way: `index.d.ts` was the chunk, with names of one letter.
    outputOptions: { chunkFileNames: 'shared-[name].js' },
    plugins: [apart],
  },
  {
    ...shared,
    entry: {
      'undici-transport': 'src/engines/http/undici-transport.ts',
      'undici-transport.browser': 'src/engines/http/undici-transport.browser.ts',
    },
    dts: false,
    clean: false,
  },
  {
    ...shared,
    entry: { 'cli-engines': 'src/engines/cli/cli-engines.ts', 'cli-engines.browser': 'src/engines/cli/cli-engines.browser.ts' },
    // Found beside the module that names it, here as in src/.
    copy: 'src/engines/cli/gemini-cli/gemini-defaults.json',
    dts: false,
    clean: false,
  },
  {
    ...shared,
    entry: {
      'process-channels': 'src/runtime/process-channels.ts',
      'process-channels.browser': 'src/runtime/process-channels.browser.ts',
    },
    dts: false,
    clean: false,
  },
  // The page: one script with all that it needs in it, and two files beside it as they are written.
  {
    ...shared,
    entry: { page: 'src/faces/page/client/page.tsx' },
    outDir: 'dist/page',
    platform: 'browser',
    target: 'es2022',
    tsconfig: 'src/faces/page/client/tsconfig.json',
    deps: { alwaysBundle: ['preact'], onlyBundle: ['preact'] },
    copy: ['src/faces/page/client/index.html', 'src/faces/page/client/page.css'],
    minify: true,
    dts: false,
    clean: false,
  },
  // What the fake CLIs of relevo/testing run: a file of its own without packages, because a child process loads it at every start.
  { ...shared, entry: { 'fake-cli': 'src/engines/fake-cli/main.ts' }, dts: false, clean: false },
])
