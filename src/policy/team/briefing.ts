import type { Message } from '../../model/message.ts'
import type { StartedBy } from '../../model/team.ts'

/**
 * What a participant is told for its turn.
 *
 * 1. Its own prompt comes first and as it was written; what every participant is told follows it.
 * 2. The thread is handed over as text that no post can break out of (`contextOf`), and what is asked stands behind it.
 * 3. Nothing is promised that the reader of its answer does not keep: plays and mentions are described as `endOfTurn` and `mentioned` read them.
 */
export interface BriefingView {
  readonly id: string
  readonly prompt: string
  /** All participants, itself included. */
  readonly ids: readonly string[]
  /** What of the thread fits; blank before the first post. */
  readonly thread: string
  readonly startedBy: StartedBy
  /** Its question to the person waits for an answer. */
  readonly gate: boolean
}

export function briefing({ id, prompt, ids, thread, startedBy, gate }: BriefingView): Message[] {
  const others = ids.filter((each) => each !== id)
  const system = [prompt, '', whoIs(id, others), ...rulesOf(others[0])].join('\n')
  const said = thread.trim() === '' ? 'The thread is empty; you are the first.' : `The thread so far:\n\n${thread.trimEnd()}`
  const ask = [said, '', ...answerOf(startedBy, gate), `It is your turn, ${id}. Answer with your post.`].join('\n')
  return [
    { role: 'system', content: system },
    { role: 'user', content: ask },
  ]
}

function whoIs(id: string, others: readonly string[]): string {
  const company = others.length === 0 ? 'You work alone' : `You work with ${others.join(', ')}`
  return `You are ${id}. ${company} on one thread, one turn at a time, together with a person. What you answer is posted to the thread, whole.`
}

function rulesOf(other: string | undefined): string[] {
  return [
    ...(other === undefined ? [] : [`- Write \`@${other}\` to ask that participant to go on; else it is whose turn is next.`]),
    '- The last line may be one of these, alone on its line:',
    '  `play: wait 10` to look again in 10 minutes; `play: gate QUESTION` to ask the person and go on when they approve; `play: done` when you see nothing left to do.',
  ]
}

function answerOf(startedBy: StartedBy, gate: boolean): string[] {
  if (startedBy === 'gate') return ['The person has approved what you asked for.']
  return gate ? ['Your question to the person is not answered yet; do something that does not need the answer, or wait.'] : []
}
