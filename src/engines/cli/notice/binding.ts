import type { Facts } from './voice.ts'

/**
 * What a limit binds (T6): the account, or only a model.
 *
 * 1. Windows of the account (five hours, a week, a month) bind no model, however they are named.
 * 2. A model is one that the notice names, or the one of the run where the notice says "this model".
 */
export interface Binding {
  readonly scope: string | null
  readonly model: string | null
}

/** Limits of claude that count one model, by their typed names. The last counts Fable, and is printed as such. */
const TYPED_MODELS: Readonly<Record<string, string>> = {
  seven_day_opus: 'opus',
  seven_day_sonnet: 'sonnet',
  seven_day_overage_included: 'fable',
}

/** `your Opus limit`, `your Fable 5 limit`, `Sonnet weekly limit reached`, `Fable 5 requires usage credits`. */
const FAMILY = /\b((opus|sonnet|haiku|fable)(?: \d{1,2}(?:\.\d{1,2})?)?)(?: weekly| daily)? (?:limit|requires usage credits)\b/i

/** `your limit for Opus`. */
const FAMILY_BEHIND = /\blimit (?:reached )?for ((opus|sonnet|haiku|fable)(?: \d{1,2}(?:\.\d{1,2})?)?)\b/i

/** `usage limit for codex_other. Switch to another model now`. */
const NAMED_BEFORE_SWITCH = /\blimit for ([^.,;]{1,60}(?:\.\d[^.,;]{0,40}){0,3})\. Switch to another model\b/i

/** `limit for gpt-5.1-codex`: a name of a model has a digit or a stroke in it, so that `for this month` and `for 5 hour` are none. */
const NAMED = /\blimit (?:reached )?for ((?=[\w./:-]{0,60}[\d_-])[A-Za-z][\w/:-]{0,60}(?:\.[\w/:-]{1,20}){0,4})/i

/** `your daily gemini-2.5-pro quota limit`. */
const NAMED_QUOTA = /\byour (?:daily )?((?=[\w.-]{0,60}\d)[a-z][a-z0-9]{1,20}-[\w.-]{1,60}) quota\b/i

const THIS_MODEL = /\b(?:on|for|with) this model\b/i

export function bindingOf(text: string, facts: Facts, type: string | null, runModel: string | null): Binding {
  if (type !== null) return { scope: type, model: TYPED_MODELS[type] ?? null }
  const family = FAMILY.exec(text) ?? FAMILY_BEHIND.exec(text)
  if (family?.[1] !== undefined && family[2] !== undefined) return { scope: family[1], model: family[2].toLowerCase() }
  const named = (NAMED_BEFORE_SWITCH.exec(text) ?? NAMED.exec(text) ?? NAMED_QUOTA.exec(text))?.[1]
  if (named !== undefined) return { scope: named, model: named }
  if (THIS_MODEL.test(text)) return { scope: null, model: facts.model ?? runModel }
  return { scope: null, model: facts.perModel ? facts.model : null }
}
