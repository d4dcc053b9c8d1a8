import { describe, expect, test } from 'vitest'
import { type BriefingView, briefing } from '../../../src/policy/team/briefing.ts'
import { mentioned } from '../../../src/policy/team/mention.ts'
import { endOfTurn } from '../../../src/policy/team/plays.ts'

const VIEW: BriefingView = { id: 'ana', prompt: 'You review.\n\nBe strict.', ids: ['ana', 'bo', 'cy'], thread: '', startedBy: 'pick', gate: false }

function told(more: Partial<BriefingView> = {}): { system: string; question: string } {
  const [system, question, ...rest] = briefing({ ...VIEW, ...more })
  expect(rest).toEqual([])
  expect([system?.role, question?.role]).toEqual(['system', 'user'])
  return { system: String(system?.content), question: String(question?.content) }
}

describe('what a participant is told', () => {
  test('its own prompt stands first, as it was written', () => {
    expect(told().system.startsWith('You review.\n\nBe strict.\n\nYou are ana.')).toBe(true)
  })

  test('who works with it, and nobody of whom there is none', () => {
    expect(told().system).toContain('with bo, cy and a person, one turn at a time.')
    const alone = told({ ids: ['ana'] }).system
    expect(alone).toContain('You work on one thread with a person.')
    expect(alone).not.toMatch(/participant|everybody/)
  })

  test('every play that it is told is one that is read, and so is the mention', () => {
    const { system } = told()
    const plays = [...system.matchAll(/`(play: [^`]+)`/g)].map(([, play = '']) => endOfTurn(play).play)
    expect(plays).toEqual([{ kind: 'wait', minutes: 10 }, { kind: 'gate', question: 'QUESTION' }, { kind: 'done' }])
    expect(mentioned(/`(@\w+)`/.exec(system)?.[1] ?? '', 'ana', VIEW.ids)).toBe('bo')
  })

  test('the thread and then whose turn it is', () => {
    expect(told().question).toBe('The thread is empty; you are the first.\n\nIt is your turn, ana.')
    expect(told({ thread: '#1 bo\n  Hello.\n\n' }).question).toBe('The thread so far:\n\n#1 bo\n  Hello.\n\nIt is your turn, ana.')
  })

  test('T12 how its question to the person stands', () => {
    expect(told({ startedBy: 'gate', gate: true }).question).toContain('The person has approved what you asked for.\nIt is your turn')
    expect(told({ gate: true }).question).toMatch(/has not approved what you asked for\..+`play: done`/)
    expect(told().question).not.toContain('approved')
  })
})
