import type { Content, Summary } from './dialect.ts'

/** One event of the end of a passed stream. */
export type EndingFrame = Extract<Content, { readonly type: 'ending' }>['frames'][number]

/** The end of a passed stream as it came, but that the last event with JSON in it carries `relevo`. */
export function withRelevo(frames: readonly EndingFrame[], relevo: Summary): string {
  const last = frames.findLastIndex(({ data }) => data.startsWith('{'))
  return frames.map((frame, index) => frameText(index === last ? { ...frame, data: withField(frame.data, relevo) } : frame)).join('')
}

/** The rest of the JSON stays as its provider wrote it, spaces and all. */
function withField(data: string, relevo: Summary): string {
  const end = data.lastIndexOf('}')
  const isBare = data.slice(1, end).trim() === ''
  return `${data.slice(0, end)}${isBare ? '' : ','}"relevo":${JSON.stringify(relevo)}${data.slice(end)}`
}

function frameText({ event, data }: EndingFrame): string {
  const lines = data.split('\n').map((line) => `data: ${line}\n`)
  return `${event === null ? '' : `event: ${event}\n`}${lines.join('')}\n`
}
