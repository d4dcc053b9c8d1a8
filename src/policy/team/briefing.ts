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
  const ask = [said, '', ...answerOf(startedBy, gate), `It is your turn, ${id}.`].join('\n')
  return [
    { role: 'system', content: system },
    { role: 'user', content: ask },
  ]
}

function whoIs(id: string, others: readonly string[]): string {
  const company = others.length === 0 ? 'a person' : `${others.join(', ')} and a person, one turn at a time`
  return `You are ${id}. You work on one thread with ${company}. Your answer is posted to the thread, whole; the head of each post is put there for you.`
}

function rulesOf(other: string | undefined): string[] {
  const mention = `- Mention a participant (\`@${other}\`) to have them go on; the first one that you mention does. Without a mention it is whose turn is next.`
  return [
    ...(other === undefined ? [] : [mention]),
    '- The last line of your answer may be one of these, alone on its line:',
    `  \`play: wait 10\` — ${other === undefined ? 'you look' : 'everybody rests, and you look'} again in 10 minutes.`,
    `  \`play: gate QUESTION\` — the person is asked; you are called once they approve.`,
    `  \`play: done\` — you see nothing left to do; you are called again when somebody asks for you or the person speaks.`,
  ]
}

function answerOf(startedBy: StartedBy, gate: boolean): string[] {
  if (startedBy === 'gate') return ['The person has approved what you asked for.']
  if (!gate) return []
  return [
    'The person has not approved what you asked for. Do what needs no approval; when that is nothing, end with `play: done`: an approval calls you.',
  ]
}
