import { describe, expect, it } from 'vitest'
import { MOST_ORDER_BYTES, obey } from '../../../src/faces/page/page-orders.ts'
import type { TeamHandle } from '../../../src/index.ts'
import { pageRig } from './page-rig.ts'

/** A team that writes down what it is told to do. */
function team(state = 'running'): { readonly orders: unknown[]; readonly handle: TeamHandle } {
  const orders: unknown[] = []
  const handle = {
    status: { state },
    pause: () => void orders.push('pause'),
    resume: () => void orders.push('resume'),
    stop: async (options: unknown) => void orders.push(['stop', options]),
    approve: (participant: string) => {
      orders.push(['approve', participant])
      return participant === 'ana'
    },
    say: (text: string) => {
      if (text === 'full') throw new Error('the thread cannot be written (ENOSPC)\nmake room')
      orders.push(['say', text])
      return { id: 7 }
    },
  }
  return { orders, handle: handle as unknown as TeamHandle }
}

describe('orders', () => {
  it('reach the team as those of the command line do, and are answered', async () => {
    const rig = await pageRig()
    const { orders, handle } = team()
    rig.page.orderTeam(handle)
    const answers: unknown[] = []
    for (const order of [
      { do: 'pause' },
      { do: 'resume' },
      { do: 'say', text: 'go on' },
      { do: 'approve', participant: 'ana' },
      { do: 'approve', participant: 'bo' },
      { do: 'stop', immediate: true },
      { do: 'stop' },
    ]) {
      const { status, text } = await rig.order(order)
      answers.push([status, JSON.parse(text).value])
    }
    expect(answers).toEqual([
      [200, null],
      [200, null],
      [200, { post: 7 }],
      [200, { approved: true }],
      [200, { approved: false }],
      [200, null],
      [200, null],
    ])
    expect(orders).toEqual([
      'pause',
      'resume',
      ['say', 'go on'],
      ['approve', 'ana'],
      ['approve', 'bo'],
      ['stop', { immediate: true }],
      ['stop', { immediate: false }],
    ])
  })

  it('lift a hold of the kernel that is named', async () => {
    const rig = await pageRig()
    rig.kernel.turn({ id: 't1', prompt: 'x' })
    await new Promise(setImmediate)
    rig.last().fail('rate_limited', { retryAfterMs: 60_000 })
    expect(rig.kernel.holds()).toMatchObject([{ key: 'a.x' }])
    expect(JSON.parse((await rig.order({ do: 'clearHold', kernel: 'main', key: 'a.x' })).text)).toEqual({ ok: true, value: { cleared: true } })
    expect(rig.kernel.holds()).toEqual([])
    expect((await rig.order({ do: 'clearHold', kernel: 'other', key: 'a.x' })).status).toBe(404)
  })

  it.each([
    ['no JSON', '{', 400],
    ['no object', '"pause"', 400],
    ['null', 'null', 400],
    ['nothing known', '{"do":"dance"}', 400],
    ['a name of every object', '{"do":"constructor"}', 400],
    ['nothing said', '{"do":"say","text":" "}', 400],
    ['too much said', JSON.stringify({ do: 'say', text: 'x'.repeat(1_048_577) }), 400],
    ['nobody approved', '{"do":"approve","participant":7}', 400],
    ['a thread that takes no post', '{"do":"say","text":"full"}', 409],
  ])('that are none are refused in a line: %s', (_, body, status) => {
    const { handle } = team()
    const reply = obey(Buffer.from(body), { team: handle, kernels: new Map() })
    expect(reply.status).toBe(status)
    expect(reply.answer.ok ? '' : reply.answer.message).toMatch(/^[^\n]{5,200}$/)
  })

  it('find no team, or one that is over', () => {
    const pause = Buffer.from('{"do":"pause"}')
    expect(obey(pause, { team: null, kernels: new Map() }).status).toBe(404)
    const { handle, orders } = team('stopped')
    expect([obey(pause, { team: handle, kernels: new Map() }).status, orders]).toEqual([409, []])
    expect(obey(Buffer.from([0xff, 0xfe]), { team: handle, kernels: new Map() }).status).toBe(400)
  })

  it('that are too long are answered with 413, and the next is taken', async () => {
    const rig = await pageRig()
    const headers = { 'content-type': 'application/json', 'x-relevo-token': rig.token }
    expect((await rig.ask('/api/orders', { method: 'POST', headers, body: 'x'.repeat(MOST_ORDER_BYTES + 1) })).status).toBe(413)
    expect((await rig.order({ do: 'pause' })).status).toBe(404)
  })
})
