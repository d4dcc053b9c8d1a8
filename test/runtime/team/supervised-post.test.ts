import { describe, expect, test } from 'vitest'
import { memoryThread, type Thread } from '../../../src/runtime/thread/thread.ts'
import { ThreadError } from '../../../src/runtime/thread/thread-error.ts'
import { settle } from '../rig.ts'
import { ANA, supervised } from './supervised-rig.ts'

const HOUR = 3_600_000

/** A thread in memory that refuses its next posts. */
function refusing(...errors: readonly unknown[]): Thread & { readonly refused: number } {
  const inner = memoryThread()
  const left = [...errors]
  let refused = 0
  return {
    append(post) {
      if (left.length > 0 && post.participant !== null) {
        refused++
        throw left.shift()
      }
      return inner.append(post)
    },
    posts: () => inner.posts(),
    get count() {
      return inner.count
    },
    get refused() {
      return refused
    },
    close: () => inner.close(),
  }
}

const full = (): ThreadError => new ThreadError('thread_disk_full', '/night/thread.jsonl', 'there is no room', 'Make room.')

describe('a post of a supervised team', () => {
  test('T20 stands in the thread before anybody hears that the turn came off', async () => {
    const seen: string[] = []
    const { answer } = supervised({ onEvent: ({ type }, team) => seen.push(`${type} ${team.thread.count}`) })
    await answer('Done with line 7.')
    expect(seen.slice(2, 4)).toEqual(['post.appended 1', 'run.ended 1'])
  })

  test('says who wrote it on which engine, and when', async () => {
    const { answer, posts, clock, team } = supervised({ team: { participants: [{ ...ANA, provider: 'a.x', model: 'm9' }] } })
    clock.setTo(5_000)
    await answer('Hello.\nThere.')
    expect(posts).toEqual([{ id: 1, at: 5_000, participant: 'ana', engine: 'a.x', text: 'Hello.\nThere.' }])
    expect(team.thread.posts()).toEqual(posts)
  })

  test.each([
    ['a blank answer', '  \n\t '],
    ['terminal codes alone', '\u001b[0m\u001b[2K'],
  ])('T19 T20 %s is silence: no post, a wait of a second, the same participant again', async (_, text) => {
    const { answer, posts, events, pass, called } = supervised()
    await answer(text)
    expect(posts).toEqual([])
    expect(events).toContainEqual(expect.objectContaining({ type: 'run.ended', result: 'silent' }))
    await pass(1_000)
    expect(called()).toEqual(['ana night-1', 'ana night-2'])
  })

  test('T20 three silent turns of one participant pause the run', async () => {
    const { answer, team, pass, lines } = supervised({ team: { participants: [ANA] } })
    for (let turn = 0; turn < 3; turn++) {
      await answer('')
      await pass(HOUR)
    }
    expect(lines()).toEqual(['ana ended three turns in a row without a post; run paused — resume to try again'])
    expect(team.status).toMatchObject({ state: 'paused', paused: 'silent' })
  })

  test.each(['play: done', 'play: gate May I?', 'play: wait 10', 'Nearly there.\nplay: done'])(
    'of an answer that was cut at its length no play is read, and it is posted whole: %j',
    async (text) => {
      const { answer, posts, team, called } = supervised()
      await answer(text, 'length')
      expect(posts.map((post) => post.text)).toEqual([text])
      expect(team.status.participants[0]).toMatchObject({ gate: null, done: false })
      expect(called()).toEqual(['ana night-1', 'bo night-2'])
    },
  )

  test('a whole turn is cut off from the next: what broke off is no post', async () => {
    const { current, posts, events } = supervised()
    ;(await current()).text('Half of a tho').fail('protocol')
    await settle()
    expect(posts).toEqual([])
    expect(events).not.toContainEqual(expect.objectContaining({ type: 'run.ended', result: 'posted' }))
  })
})

describe('plays and mentions of a supervised team', () => {
  test('T11 who is mentioned goes on, whoever is due', async () => {
    const { answer, called } = supervised({
      team: { participants: [ANA, { ...ANA, id: 'bo' }, { ...ANA, id: 'cy' }] },
    })
    await answer('@cy look at this.')
    await answer('Looks fine.')
    await answer('I go on.')
    expect(called()).toEqual(['ana night-1', 'cy night-2', 'bo night-3', 'cy night-4'])
  })

  test('G30 a wait alone is no post, and the same participant looks again; a second one doubles', async () => {
    const { answer, posts, called, pass, team, clock } = supervised()
    await answer('play: wait 10')
    expect(posts).toEqual([])
    expect(team.status).toMatchObject({ state: 'waiting', wake: { at: 600_000, by: 'probe' } })
    await pass(600_000)
    await answer('play: wait 10')
    expect(team.status.wake?.at).toBe(clock.now() + 1_200_000)
    await pass(1_200_000)
    expect(called()).toEqual(['ana night-1', 'ana night-2', 'ana night-3'])
  })

  test('G30 a wait at the end of a post: the post stays, and the run waits', async () => {
    const { answer, posts, team, pass, called } = supervised()
    await answer('The build runs.\nplay: wait 10')
    expect(posts.map(({ text }) => text)).toEqual(['The build runs.\nplay: wait 10'])
    expect(team.status).toMatchObject({ state: 'waiting', iterations: 1, wake: { at: 600_000 } })
    await pass(600_000)
    expect(called()).toEqual(['ana night-1', 'ana night-2'])
  })

  test('G30 a wait in a post that asks a teammate to go on is no wait: they go on', async () => {
    const { answer, team, called } = supervised()
    await answer('@bo have a look.\nplay: wait 10')
    expect(team.status.state).toBe('running')
    expect(called()).toEqual(['ana night-1', 'bo night-2'])
  })

  test('T17 a message ends a wait', async () => {
    const { answer, team, called } = supervised()
    await answer('play: wait 10')
    team.say('Now.')
    await settle()
    expect(called()).toEqual(['ana night-1', 'ana night-2'])
  })

  test('T12 a gate is answered by its approval, and the turn it starts says so', async () => {
    const { answer, team, last, types } = supervised()
    await answer('Ready.\nplay: gate Shall I deploy?')
    expect(team.status.participants[0]).toMatchObject({ id: 'ana', gate: 1, approved: false })
    expect(team.approve('bo')).toBe(false)
    expect(team.approve('ana')).toBe(true)
    expect(team.approve('ana')).toBe(false)
    expect(team.status.participants[0]).toMatchObject({ gate: null, approved: true })
    await answer('Meanwhile.')
    expect(String(last().request.messages[1]?.content)).toContain('The person has approved what you asked for.')
    await answer('Deployed.')
    expect(team.status.participants[0]).toMatchObject({ gate: null, approved: false })
    expect(types().filter((type) => type.startsWith('gate.'))).toEqual(['gate.opened', 'gate.approved'])
  })

  test('who waits for an approval may be done meanwhile, and goes on by the approval although everybody was done', async () => {
    const { answer, team, called } = supervised({ team: { participants: [ANA] } })
    await answer('play: gate Shall I?')
    await answer('Nothing else to do.\nplay: done')
    expect(team.status).toMatchObject({ state: 'paused', paused: 'done' })
    team.approve('ana')
    await settle()
    expect(called()).toEqual(['ana night-1', 'ana night-2', 'ana night-3'])
    expect(team.status.running).toMatchObject({ participant: 'ana', startedBy: 'gate' })
  })

  test('an approval does not end a pause of the person', async () => {
    const { answer, team, called } = supervised({ team: { participants: [ANA] } })
    await answer('play: gate Shall I?')
    await answer('play: done')
    team.pause()
    team.approve('ana')
    await settle()
    expect(called()).toHaveLength(2)
    expect(team.status).toMatchObject({ state: 'paused', paused: 'pause' })
  })

  test('everybody is done: a pause that a message ends', async () => {
    const { answer, team, lines, called } = supervised()
    await answer('play: done')
    await answer('play: done')
    expect(lines()).toEqual(['every participant is done; run paused — say something or resume to go on'])
    team.say('One more thing, @bo.')
    await settle()
    expect(called().at(-1)).toBe('bo night-3')
  })

  test('a last line that begins like a play and is none is told, and the post stays', async () => {
    const { answer, events, posts } = supervised()
    await answer('play: dance')
    expect(posts).toHaveLength(1)
    expect(events).toContainEqual({ type: 'play.unread', participant: 'ana', post: 1, at: 0 })
  })
})

describe('a thread that takes no post', () => {
  test('keeps it, tells it, and has it before the participant is called again', async () => {
    const thread = refusing(full(), full())
    const { answer, pass, events, attempts, posts } = supervised({ team: { thread } })
    await answer('Worth keeping.\n@bo')
    expect(events).toContainEqual({
      type: 'post.refused',
      participant: 'ana',
      code: 'thread_disk_full',
      message: '/night/thread.jsonl: there is no room. Make room.',
      at: 0,
    })
    await pass(1_000)
    expect(attempts).toHaveLength(1)
    await pass(60_000)
    expect(posts.map(({ text, engine }) => [text, engine])).toEqual([['Worth keeping.\n@bo', 'a.x']])
    expect(attempts).toHaveLength(2)
  })

  test.each([
    ['an error of its own', new Error('CANARY text')],
    ['what is no error', 'CANARY text'],
    ['nothing', undefined],
  ])('%s that a thread of a host throws is a refusal, and its words are not told', async (_, thrown) => {
    const { answer, pass, events, posts } = supervised({ team: { thread: refusing(thrown) } })
    await answer('Worth keeping.')
    expect(events).toContainEqual(expect.objectContaining({ type: 'post.refused', code: 'thread_unusable' }))
    expect(JSON.stringify(events)).not.toContain('CANARY')
    await pass(1_000)
    expect(posts.map(({ text }) => text)).toEqual(['Worth keeping.'])
  })

  test('a thread of a host that gives nothing back is refused as well', async () => {
    const thread = { ...memoryThread(), append: () => undefined as never, posts: () => [], count: 0 }
    const { answer, events, team } = supervised({ team: { thread } })
    await answer('Lost on you.')
    expect(events).toContainEqual(expect.objectContaining({ type: 'post.refused', code: 'thread_unusable' }))
    expect(team.status.state).toBe('backing_off')
    expect(() => team.say('hello')).toThrow(ThreadError)
  })

  test('a thread that was closed takes no word of the person, and says so', async () => {
    const { team, events } = supervised()
    await settle()
    team.thread.close()
    expect(() => team.say('hello')).toThrow(/the thread was closed/)
    expect(events.map(({ type }) => type)).not.toContain('post.appended')
  })

  test('what was kept goes in when the run is stopped', async () => {
    const { answer, team, posts, types } = supervised({ team: { thread: refusing(full()) } })
    await answer('Worth keeping.')
    await team.stop()
    expect(posts.map(({ text }) => text)).toEqual(['Worth keeping.'])
    expect(types().slice(-3)).toEqual(['post.appended', 'state.entered', 'team.ended'])
  })

  test('what the thread does not take in the end is told as lost', async () => {
    const { answer, team, types, events } = supervised({ team: { thread: refusing(full(), full()) } })
    await answer('Worth keeping.')
    await team.stop()
    expect(events).toContainEqual({ type: 'post.lost', participant: 'ana', code: 'thread_disk_full', at: 0 })
    expect(types().at(-1)).toBe('team.ended')
  })

  test('a clock between two milliseconds spoils no post', async () => {
    const { clock, answer, posts } = supervised()
    await settle()
    clock.setTo(1_000.75)
    await answer('On time.')
    expect(posts).toMatchObject([{ at: 1_000 }])
  })
})
