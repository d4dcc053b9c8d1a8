import type { Diagnostic, Target } from '../model/plan.ts'
import { listed, pathText, profilePath } from './diagnostics.ts'

// What a turn asks for, and what becomes of it.

export function unknownHint(hint: string, rejected: boolean, hints: readonly string[]): Diagnostic {
  return {
    code: 'unknown_hint',
    path: 'model',
    message: `No route has the hint \`${hint}\`; ${rejected ? 'the turn is refused' : 'the default domain is asked for it literally'}.`,
    remedy: `Ask for a configured hint (${listed(hints)}).`,
  }
}

export function nothingToSend(target: string, path = 'model'): Diagnostic {
  return {
    code: 'nothing_to_send',
    path,
    message: `No model was asked for, and \`${target}\` is pinned to none.`,
    remedy: `Ask for a model, or set \`model\` on \`${target}\`.`,
  }
}

export function unknownTarget(index: number, profile: string, profiles: readonly string[]): Diagnostic {
  return {
    code: 'unknown_provider',
    path: targetPath(index, 'profile'),
    message: `No profile \`${profile}\` is configured; a target names a full profile id.`,
    remedy: `Name a configured profile (${listed(profiles)}).`,
  }
}

/** What is wrong with the profile of a target, or with one that it falls back to: said where it was asked for. */
export function unusableTarget(index: number, { code, message, remedy }: Omit<Diagnostic, 'path'>): Diagnostic {
  return { code, path: targetPath(index, 'profile'), message, remedy }
}

export function targetPath(index: number, field: keyof Target): string {
  return pathText(['targets', index, field])
}

export function noCapableEntry(target: string, need: 'tools' | 'vision'): Diagnostic {
  const what = need === 'tools' ? 'tools' : 'images'
  return {
    code: 'no_capable_entry',
    path: pathText(['profiles', target, 'capabilities', need]),
    message: `The call needs ${what}, and no entry of \`${target}\` takes them.`,
    remedy: `Leave the ${what} out, or add a fallback whose \`capabilities.${need}\` is true.`,
  }
}

export function priceUnknown(profile: string, model: string): Diagnostic {
  const path = `${profilePath(profile, 'price')}.${model}`
  return {
    code: 'price_unknown',
    path,
    message: `The price of \`${model}\` on \`${profile}\` is unknown, so its cost is null.`,
    remedy: `Add \`${path}\` with USD per million tokens.`,
  }
}

/** Said before it is passed over: the price is missing, and no money was spent. */
export function unpricedInBudget(profile: string, model: string): Diagnostic {
  const { code, path } = priceUnknown(profile, model)
  return {
    code,
    path,
    message: `The price of \`${model}\` on \`${profile}\` is unknown, so it is over every budget and is not asked.`,
    remedy: `Add \`${path}\` with USD per million tokens, or set \`budgets.unknownPrice: ignored\`.`,
  }
}

/** A budget that nothing is counted for bounds nothing. */
export function costUncounted(profile: string, model: string): Diagnostic {
  return {
    code: 'cost_uncounted',
    path: `profiles.${profile}`,
    message: `\`${profile}\` answered with \`${model}\` and told no tokens, so what it cost is in no budget.`,
    remedy: 'Have the provider tell its usage, or bound it by its own account.',
  }
}

export function contentAfterFinal(turn: string, entry: string): Diagnostic {
  return {
    code: 'content_after_final',
    path: `turns.${turn}`,
    message: `\`${entry}\` sent content after its completion signal; it was ignored.`,
    remedy: 'Report it to the provider; nothing is lost here.',
  }
}

export function turnInFlight(turn: string): Diagnostic {
  return {
    code: 'turn_in_flight',
    path: 'id',
    message: `A turn named \`${turn}\` is in flight.`,
    remedy: 'Give each turn an id of its own, or leave it out.',
  }
}

export function callInFlight(turn: string): Diagnostic {
  return {
    code: 'turn_in_flight',
    path: 'id',
    message: `A call of the turn \`${turn}\` is in flight, and it makes one at a time.`,
    remedy: 'Await the `outcome` of its last call, or open a turn for each of them.',
  }
}

export function switchNotAllowed(profile: string, allow: readonly string[]): Diagnostic {
  return {
    code: 'not_allowed',
    path: 'modelSwitch.profile',
    message: `\`${profile}\` is not among the profiles that this turn may call: its prompt was decided to stay local.`,
    remedy: `Switch to one that is (${listed(allow)}), or ask for a model when the turn is opened.`,
  }
}

export function unknownSwitch(profile: string, profiles: readonly string[]): Diagnostic {
  return {
    code: 'unknown_provider',
    path: 'modelSwitch.profile',
    message: `No profile \`${profile}\` is configured; a switch names a full profile id.`,
    remedy: `Switch to a configured profile (${listed(profiles)}).`,
  }
}

export function blankSwitch(): Diagnostic {
  return {
    code: 'required_field_empty',
    path: 'modelSwitch.model',
    message: 'A switch names a model, and this one names none.',
    remedy: 'Give the model that the profile is to serve.',
  }
}

export function invalidCall(field: string): Diagnostic {
  return {
    code: 'invalid_request',
    path: field,
    message: `\`${field}\` belongs to the turn, which was opened with its own, and not to one of its calls.`,
    remedy: field === 'model' ? 'Leave it out, or use `switchModel`.' : 'Leave it out.',
  }
}
