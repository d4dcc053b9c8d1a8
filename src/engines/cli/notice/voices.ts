import type { NoticeProvider } from '../../../model/notice.ts'
import { agyVoice } from '../agy/voice.ts'
import { claudeVoice } from '../claude/voice.ts'
import { codexVoice } from '../codex/voice.ts'
import { geminiVoice } from '../gemini-cli/voice.ts'
import type { Voice } from './voice.ts'

/** One line a CLI. */
export const VOICES: Readonly<Record<NoticeProvider, Voice>> = { claude: claudeVoice, codex: codexVoice, agy: agyVoice, gemini: geminiVoice }
