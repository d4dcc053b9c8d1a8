import type { Post, TeamEvent } from '../../index.ts'

/** What the act of a team reports; `at` is epoch ms on the clock of the act. */
export type TeamActFact =
  | { readonly type: 'team.begun'; readonly at: number; readonly title: string; readonly chains: readonly (readonly [id: string, chain: string])[] }
  | { readonly type: 'team.told'; readonly at: number; readonly event: TeamEvent }
  | { readonly type: 'team.posted'; readonly at: number; readonly post: Post }
