import { choiceOf } from '../plan/choice.ts'
import { checkChoice, type Scopes, type TurnRequest } from './request.ts'

/** What operators chose, by scope (R40). */
export class Choices {
  readonly #models = new Map<string, string>()

  /** Null or blank takes the choice back. Throws a ConfigError. */
  choose(scope: string, model: string | null): void {
    const chosen = checkChoice(scope, model)
    if (chosen === null) this.#models.delete(scope)
    else this.#models.set(scope, chosen)
  }

  of(scope: string): string | null {
    return this.#models.get(scope) ?? null
  }

  /** What a call asks for: its own choice, else that of its nearest scope. Targets are the call's own. */
  askOf({ model, targets, scope }: Pick<TurnRequest, 'model' | 'targets' | 'scope'>): Pick<TurnRequest, 'model' | 'targets'> {
    if (targets !== undefined) return { targets }
    const scopes = listOf(scope)
    return {
      model: choiceOf(
        model,
        scopes.map((each) => this.#models.get(each)),
      ),
    }
  }
}

function listOf(scope: Scopes | undefined): readonly string[] {
  return scope === undefined ? [] : typeof scope === 'string' ? [scope] : scope
}
