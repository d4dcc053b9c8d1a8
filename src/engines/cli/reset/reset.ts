import type { ResetSource } from '../../../model/notice.ts'

export interface Reset {
  /** Epoch ms. */
  readonly at: number
  readonly source: Exclude<ResetSource, 'none'>
}

export interface ResetView {
  /** When the notice was read (epoch ms). */
  readonly now: number
  /** The zone of the process that printed it (its TZ): used where the text names no zone, or none that is known. */
  readonly zone: string
}
