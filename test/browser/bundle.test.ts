import { createContext, runInContext } from 'node:vm'
import { build } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../architecture/source.ts'

/** What a page has and plain JavaScript has not; nothing of Node is among it. */
const PAGE = {
  AbortController,
  AbortSignal,
  Headers,
  Request,
  Response,
  TextDecoder,
  TextEncoder,
  URL,
  clearTimeout,
  console,
  crypto,
  performance,
  queueMicrotask,
  setTimeout,
}

const BODY = [
  '{"choices":[{"index":0,"delta":{"content":"from a page"},"finish_reason":null}]}',
  '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '[DONE]',
]
  .map((data) => `data: ${data}\n\n`)
  .join('')

/** The core door as one script, bundled from the package as a user gets it (`npm run build`), the way an application bundler does it for a page. */
async function bundle(): Promise<string> {
  const built = await build({
    configFile: false,
    logLevel: 'silent',
    root: ROOT,
    build: { write: false, minify: false, lib: { entry: `${ROOT}dist/index.js`, formats: ['iife'], name: 'relevo' } },
  })
  const [output] = Array.isArray(built) ? built : [built]
  const chunk = output !== undefined && 'output' in output ? output.output[0] : undefined
  if (chunk === undefined) throw new Error('vite built nothing')
  return chunk.code
}

describe('the core door in a browser', () => {
  let code = ''
  beforeAll(async () => {
    code = await bundle()
  }, 60_000)

  it('bundles without a module of Node', () => {
    expect(code.match(/(?:require\(|from\s*)["'](?:node:[a-z_/]+|undici)["']/g) ?? []).toEqual([])
  })

  it('serves a turn there, on the fetch that the page passes', async () => {
    const asked: string[] = []
    const page = createContext({
      ...PAGE,
      ask: (url: string | URL) => {
        asked.push(String(url))
        return Promise.resolve(new Response(BODY, { headers: { 'content-type': 'text/event-stream' } }))
      },
    })
    const script = `${code}
      const profile = { api: 'openai-chat', endpoint: 'https://provider.example/v1', model: 'm1', apiKey: 'key-of-a-page' }
      const kernel = relevo.createKernel({ primary: 'openai.page', profiles: { 'openai.page': profile } }, { fetch: ask })
      const serve = async () => {
        const turn = kernel.turn({ messages: [{ role: 'user', content: 'hello' }] })
        let read = ''
        for await (const event of turn) if (event.type === 'text') read += event.text
        const { kind, text } = await turn.outcome
        return JSON.stringify({ kind, text, read })
      }
      serve()`
    expect(JSON.parse(await runInContext(script, page))).toEqual({ kind: 'ok', text: 'from a page', read: 'from a page' })
    expect(asked).toEqual(['https://provider.example/v1/chat/completions'])
  })
})
