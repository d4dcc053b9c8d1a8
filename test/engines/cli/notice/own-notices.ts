import { OWN_AGY } from './own-agy.ts'
import { OWN_CLAUDE } from './own-claude.ts'
import { OWN_CODEX } from './own-codex.ts'
import { OWN_GEMINI } from './own-gemini.ts'
import type { OwnNotice } from './own-notice.ts'

/** Each kind in each CLI that says it, so that a clone alone proves itself. */
export const OWN_NOTICES: readonly OwnNotice[] = [...OWN_CLAUDE, ...OWN_CODEX, ...OWN_AGY, ...OWN_GEMINI]
