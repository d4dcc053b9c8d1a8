import { describe, expect, it } from 'vitest'
import { isLoopbackHost } from '../../../src/host.ts'
import { pageRig } from './page-rig.ts'

const PATHS = ['/', '/page.js', '/api/events', '/api/orders', '/api/nothing'] as const

describe('WEB-01 whoever was asked for by another name answers nothing', () => {
  it.each([
    ['a foreign Host', { host: 'evil.example' }],
    ['a foreign Host with our port', (port: number) => ({ host: `evil.example:${port}` })],
    ['a Host that begins like ours', (port: number) => ({ host: `localhost.evil.example:${port}` })],
    ['our name with another port', { host: '127.0.0.1:1' }],
    ['our name without the port', { host: '127.0.0.1' }],
    ['a foreign Origin', (port: number) => ({ host: `127.0.0.1:${port}`, origin: 'https://evil.example' })],
    ['Origin null', (port: number) => ({ host: `127.0.0.1:${port}`, origin: 'null' })],
    ['our Origin with another port', (port: number) => ({ host: `127.0.0.1:${port}`, origin: 'http://127.0.0.1:1' })],
  ])('WEB-01 %s: 403 on every path', async (_, headers) => {
    const rig = await pageRig()
    for (const path of PATHS) {
      const method = path === '/api/orders' ? 'POST' : 'GET'
      const asked = {
        ...(typeof headers === 'function' ? headers(rig.port) : headers),
        'x-relevo-token': rig.token,
        'content-type': 'application/json',
      }
      const { status, text } = await rig.ask(path, { method, headers: asked, ...(method === 'POST' ? { body: '{"do":"pause"}' } : {}) })
      expect([path, status]).toEqual([path, 403])
      expect(text).not.toContain(rig.token)
    }
  })

  it('WEB-01 an absent Host is refused, by the server or by the page', async () => {
    const rig = await pageRig()
    expect([400, 403]).toContain((await rig.ask('/', { noHost: true })).status)
  })

  it('WEB-01 our names are answered, with our Origin and without one', async () => {
    const rig = await pageRig()
    for (const name of ['127.0.0.1', 'localhost', 'LOCALHOST'])
      for (const origin of [{}, { origin: `http://${name.toLowerCase()}:${rig.port}` }])
        expect((await rig.ask('/', { headers: { host: `${name}:${rig.port}`, ...origin } })).status).toBe(200)
  })
})

describe('WEB-02 what others reach tells nothing without the token', () => {
  it('WEB-02 beyond loopback the stream needs it, and on loopback it does not', async () => {
    const open = await pageRig({ host: '0.0.0.0' })
    expect((await open.ask('/api/events')).status).toBe(403)
    expect((await open.ask('/api/events', { headers: { 'x-relevo-token': 'guess' } })).status).toBe(403)
    const looker = await open.look({ 'x-relevo-token': open.token })
    await looker.told(({ type }) => type === 'page.opened')
    const near = await pageRig()
    await (await near.look()).told(({ type }) => type === 'page.opened')
  })

  it('WEB-02 beyond loopback it is reached by names that only who forwards its port knows, also behind TLS; the token guards it', async () => {
    const open = await pageRig({ host: '0.0.0.0' })
    const order = { do: 'clearHold', kernel: 'main', key: 'a.x' }
    for (const [host, origin] of [
      ['localhost:8080', 'http://localhost:8080'],
      ['relevo.example', 'https://relevo.example'],
    ] as const) {
      expect((await open.ask('/', { headers: { host } })).status).toBe(200)
      expect((await open.ask('/api/events', { headers: { host } })).status).toBe(403)
      expect((await open.order(order, { host, origin })).status).toBe(403)
      expect((await open.order(order, { host, origin, 'x-relevo-token': open.token })).status).toBe(200)
      expect((await open.order(order, { host, origin: 'https://evil.example', 'x-relevo-token': open.token })).status).toBe(403)
    }
    expect([400, 403]).toContain((await open.ask('/', { noHost: true })).status)
  })

  it.each(['0.0.0.0', '::', '192.168.1.2', 'example.com', '::ffff:10.0.0.1', ''])('WEB-02 %j is no loopback', (host) => {
    expect(isLoopbackHost(host)).toBe(false)
  })

  it.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', '::ffff:127.0.0.1', 'localhost', 'LocalHost'])('WEB-02 %j is', (host) => {
    expect(isLoopbackHost(host)).toBe(true)
  })
})

describe('WEB-03 nothing is changed but by a POST of JSON with the token', () => {
  it('WEB-03 a form, a POST without the token, one with another: 403, and nothing is done', async () => {
    const rig = await pageRig()
    rig.sources.ports('unused')
    const order = { do: 'clearHold', kernel: 'main', key: 'a.x' }
    const body = JSON.stringify(order)
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json' },
      { 'content-type': 'application/json', 'x-relevo-token': '' },
      { 'content-type': 'application/json', 'x-relevo-token': rig.token.slice(0, -1) },
      { 'content-type': 'application/json', 'x-relevo-token': [rig.token, rig.token] },
      { 'content-type': 'application/json', authorization: `Bearer ${rig.token}` },
    ])
      expect((await rig.ask('/api/orders', { method: 'POST', headers, body })).status).toBe(403)
    expect(
      (await rig.ask(`/api/orders?x-relevo-token=${rig.token}`, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).status,
    ).toBe(403)
    const plain = await rig.ask('/api/orders', { method: 'POST', headers: { 'content-type': 'text/plain', 'x-relevo-token': rig.token }, body })
    expect(plain.status).toBe(415)
    expect(JSON.parse((await rig.order(order)).text)).toEqual({ ok: true, value: { cleared: false } })
  })

  it('WEB-03 GET changes nothing: no method but its own is taken anywhere', async () => {
    const rig = await pageRig()
    const headers = { 'x-relevo-token': rig.token }
    for (const [path, method, allow] of [
      ['/api/orders', 'GET', 'POST'],
      ['/api/orders?do=stop', 'GET', 'POST'],
      ['/api/events', 'POST', 'GET'],
      ['/', 'POST', 'GET, HEAD'],
      ['/page.js', 'DELETE', 'GET, HEAD'],
    ] as const) {
      const answered = await rig.ask(path, { method, headers })
      expect([path, answered.status, answered.headers.allow]).toEqual([path, 405, allow])
    }
  })
})

describe('WEB-05 the token', () => {
  it('WEB-05 is of this start, has 256 bits, and stands in the fragment of the address alone', async () => {
    const [one, other] = [await pageRig(), await pageRig()]
    expect(one.token).toMatch(/^[0-9a-f]{64}$/)
    expect(one.token).not.toBe(other.token)
    expect(one.page.fragment).toBe(`#token=${one.token}`)
    const looker = await one.look()
    await looker.told(({ type }) => type === 'page.opened')
    for (const path of ['/', '/page.js', '/page.css', '/api/nothing']) {
      const { text, headers } = await one.ask(path)
      expect(`${text} ${JSON.stringify(headers)}`).not.toContain(one.token)
    }
    expect(looker.raw).not.toContain(one.token)
  })

  it('WEB-05 every answer says that nothing of it is sent on, framed, guessed or loaded from elsewhere', async () => {
    const rig = await pageRig()
    for (const path of ['/', '/page.css', '/api/nothing', '/favicon.ico', '/api/orders']) {
      const { headers } = await rig.ask(path)
      expect(headers).toMatchObject({
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
        'cross-origin-opener-policy': 'same-origin',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      })
    }
  })
})

describe('the files of the page', () => {
  it('are there by three names, with their types, and are not sent twice', async () => {
    const rig = await pageRig()
    for (const [path, type] of [
      ['/', 'text/html'],
      ['/page.js', 'text/javascript'],
      ['/page.css', 'text/css'],
    ] as const) {
      const first = await rig.ask(path)
      expect([first.status, first.headers['content-type']]).toEqual([200, `${type}; charset=utf-8`])
      const again = await rig.ask(path, { headers: { 'if-none-match': first.headers.etag ?? '' } })
      expect([again.status, again.text]).toEqual([304, ''])
      expect((await rig.ask(path, { method: 'HEAD' })).text).toBe('')
    }
  })

  it.each(['/../package.json', '/page.js/../../x', '/%2e%2e/package.json', '/..%2fpackage.json', '/page', '//page.js', '/page.js%00'])(
    'no path leads out: %s',
    async (path) => {
      expect((await (await pageRig()).ask(path)).status).toBe(404)
    },
  )

  it('that were not built are told of, with what to do', async () => {
    const rig = await pageRig({ folder: '/nowhere' })
    const { status, text } = await rig.ask('/')
    expect([status, text]).toEqual([503, expect.stringContaining('npm run build')])
  })
})
