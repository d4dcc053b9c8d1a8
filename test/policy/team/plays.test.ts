import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { endOfTurn, type Play } from '../../../src/policy/team/plays.ts'
import { expectLinear } from './cost.ts'

const wait = (minutes: number): Play => ({ kind: 'wait', minutes })
const gate = (question: string): Play => ({ kind: 'gate', question })
const done: Play = { kind: 'done' }

/** A post with this as its end. */
const ending = (line: string) => `I have read the change.\n\n${line}`

describe('T19, T20 the text of a run is a post', () => {
  it.each(['ok', '  ok\n', ending('I am done'), '```\ncode\n```', '\u001b[1mbold\u001b[0m'])('%j, whole', (text) => {
    expect(endOfTurn(text)).toEqual({ post: text, play: null, unread: null })
  })

  it.each(['', ' \n\t\r\n', '\u200b', '\u001b[0m\n\u001b]0;title\u0007'])('%j is silence', (text) => {
    expect(endOfTurn(text)).toEqual({ post: null, play: null, unread: null })
  })
})

describe('a play is its last line', () => {
  it.each<[string, Play]>([
    ['play: wait 10', wait(10)],
    ['play: wait 1 min', wait(1)],
    ['Play: Wait 90 minutes.', wait(90)],
    ['play: wait 10080', wait(10_080)],
    ['play: gate Shall I deploy?', gate('Shall I deploy?')],
    ['PLAY: GATE  Drop the *old* table, `users_1`? ', gate('Drop the *old* table, `users_1`?')],
    ['play: done', done],
    ['play: done\n\n \n', done],
    ['play : done', done],
    ['play:done', done],
    ['  play: done', done],
    ['**play: wait 10**', wait(10)],
    ['**play:** wait 10', wait(10)],
    ['**play**: wait 10', wait(10)],
    ['_play: done._', done],
    ['`play: done`', done],
    ['**`play: wait 5`**', wait(5)],
    ['- play: done', done],
    ['* **Play:** done', done],
    ['## play: done', done],
    ['**play: gate May I?**', gate('May I?')],
    ['**play:** gate May I **now**', gate('May I **now**')],
    ['`play: gate May I run `make`?`', gate('May I run `make`?')],
    ['\u001b[1;32mplay: done\u001b[0m', done],
    ['\u001b]8;;https://example.org\u0007play: done\u001b]8;;\u0007', done],
    ['\u200bplay: done\ufeff', done],
    ['play: done\r\n', done],
    ['so I end with\n    play: done', done],
    ['```\nplay: wait 5\n```\nplay: done', done],
    ['> play: wait 5\n\nplay: done', done],
    ['I run ```make``` now.\nplay: done', done],
    ['```make``` is run.\nplay: done', done],
    ['play**:** done', done],
    ['**play: done', done],
  ])('%j', (line, play) => expect(endOfTurn(ending(line))).toEqual({ post: ending(line), play, unread: null }))

  it.each([
    ['in a sentence', 'I would say play: done'],
    ['a word that begins so', 'playing: done'],
    ['without its mark', 'wait 10'],
    ['without its mark', 'done'],
    ['not the last line', 'play: done\nThat is all.'],
    ['quoted', '> play: done'],
    ['quoted deeper', ' > > play: done'],
    ['in a fence', '```\nplay: done\n```'],
    ['in a fence of tildes with a name', '~~~ text\nplay: done\n~~~'],
    ['in a fence of tildes with a name in backticks', '~~~ `text`\nplay: done'],
    ['in indented code, not as its first line', '    make\n    play: done'],
    ['in a fence that holds another', '````\n```\nplay: done\n````'],
    ['in a fence that never ends', '```\nplay: done'],
    ['in a fence that a name does not end', '```\n``` x\nplay: done'],
    ['in a list that is fenced', '- one:\n    ```\n    play: done\n    ```'],
    ['as code', '\n    play: done'],
    ['as code with a tab', '\n\tplay: done'],
    ['in quotation marks', '"play: done"'],
  ])('%s it is none', (_, end) => expect(endOfTurn(ending(end))).toEqual({ post: ending(end), play: null, unread: null }))

  it.each([
    'play: wait',
    'play: wait soon',
    'play: wait 0',
    'play: wait 10081',
    'play: wait 1.5',
    'play: wait -1',
    'play: gate',
    'play: donee',
    'play:',
    'play: wait 99999999999',
  ])('%s is told as unread, and the post stays', (line) => expect(endOfTurn(ending(line))).toEqual({ post: ending(line), play: null, unread: line }))
})

describe('what is posted beside a play', () => {
  it.each(['play: wait 10', '\n **play: wait 10** \n', '\u001b[0m\nplay: wait 10'])('G30 %j alone is no post', (text) => {
    expect(endOfTurn(text)).toEqual({ post: null, play: wait(10), unread: null })
  })

  it.each<[string, Play]>([
    ['play: done', done],
    ['play: gate May I?', gate('May I?')],
    ['> quoted\nplay: wait 10', wait(10)],
  ])('%j says something', (text, play) => expect(endOfTurn(text)).toEqual({ post: text, play, unread: null }))
})

describe('any text', () => {
  it('is read without a throw, and a post is never lost or changed', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('play: ', 'wait 10', 'gate x', 'done', '\n', '```', '~~~', '> ', '    ', '**', '`', '\u001b[', '\u001b]', '\r', '\t', '@'),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const text = pieces.join('')
        const { post, play, unread } = endOfTurn(text)
        if (post !== null) expect(post).toBe(text)
        else if (play !== null) expect(play.kind).toBe('wait')
        expect(play !== null && unread !== null).toBe(false)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['play: ', '**play: gate ', '`', '```', '\u001b[0', '\u001b]0;', '> ', '    x\n', '```\n', '* ', '\u200b', ' '])(
    'takes the time of its length: %j',
    (piece) => {
      expectLinear(piece, endOfTurn)
      expectLinear(piece, (text) => endOfTurn(`${text}\nplay: done`))
      expectLinear(piece, (text) => endOfTurn(`play: gate ${text.replaceAll('\n', ' ')}`))
    },
  )
})
