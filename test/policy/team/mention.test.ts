import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mentioned } from '../../../src/policy/team/mention.ts'
import { expectLinear } from './cost.ts'

const TEAM = ['ana', 'bo', 'cy-2', 'Dee']

describe('whom a post asks to go on', () => {
  it.each([
    ['@bo please review', 'bo'],
    ['Please review, @bo.', 'bo'],
    ['Ready.@bo', 'bo'],
    ['(@bo)', 'bo'],
    ["@bo's turn", 'bo'],
    ['**@bo** and @cy-2', 'bo'],
    ['_@bo_', 'bo'],
    ['__@bo__', 'bo'],
    ['@BO', 'bo'],
    ['@dee', 'Dee'],
    ['@cy-2: go on', 'cy-2'],
    ['@cy-2-', 'cy-2'],
    ['@ana asked, so @bo answers', 'bo'],
    ['@nobody, @everyone, @bo', 'bo'],
    ['1. first\n    - @bo checks', 'bo'],
    ['\u001b[1m@bo\u001b[0m', 'bo'],
    ['`@cy-2` is written by @bo', 'bo'],
    ['@bo, see `x`', 'bo'],
    ['`x` asks @bo for `y`', 'bo'],
    ['x ```see @bo``` @cy-2', 'cy-2'],
    ['an odd ` and @bo', 'bo'],
    ['`` ` @cy-2 `` @bo', 'bo'],
    ['```\n@cy-2\n```\n@bo', 'bo'],
    ['> @cy-2 wrote\n\n@bo', 'bo'],
    ['play: gate May I, @bo?', 'bo'],
  ])('%j', (post, id) => expect(mentioned(post, 'ana', TEAM)).toBe(id))

  it.each([
    'no one',
    '@ana and @ANA',
    '@',
    '@ bo',
    'mail a@bo or bo@bo.example',
    '@bo.example',
    '@bo/core',
    'https://example.org/@bo',
    '@bo-core/x',
    '@bot',
    '@@bo',
    'é@bo',
    '@boé',
    '`@bo`',
    '``@bo``',
    'see `x` and `@bo`',
    '`` `@bo`',
    '> @bo',
    '```\n@bo\n```',
    '\n    @bo',
  ])('%j: nobody', (post) => expect(mentioned(post, 'ana', TEAM)).toBeNull())

  it('the person can mention anybody', () => expect(mentioned('@ana', null, TEAM)).toBe('ana'))

  it('is always another participant of the team, whatever the text', () => {
    const piece = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('@ana', '@bo', '@', '`', '```\n', '> ', '\n', '_', '.', '-', '/'))
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        expect(['bo', 'cy-2', 'Dee', null]).toContain(mentioned(pieces.join(''), 'ana', TEAM))
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['@bo/', '@', '@a', '@a-', '`', '`` ', '`@bo', '``` `` ', 'a@bo.x', '@nobody ', '_', '\u001b[', '\u001b]x', ' `x`'])(
    'takes the time of its length: %j',
    (piece) => {
      expectLinear(piece, (text) => mentioned(text, 'ana', TEAM))
      expectLinear(piece, (text) => mentioned(`@${text}`, 'ana', TEAM))
    },
  )

  it('many runs of backticks, each of another length, take it too', () => {
    const runs = (count: number) => Array.from({ length: count }, (_, index) => '`'.repeat(index + 1)).join(' ')
    const started = process.cpuUsage()
    mentioned(`${runs(1_500)} @bo`, 'ana', TEAM)
    expect(process.cpuUsage(started).user).toBeLessThan(1_000_000)
  })
})
