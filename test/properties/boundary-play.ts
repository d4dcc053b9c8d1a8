import type { AttemptRequest } from '../../src/engines/contract.ts'
import { scriptedEngine } from '../../src/engines/scripted.ts'
import type { Outcome } from '../../src/model/outcome.ts'
import { RelevoError } from '../../src/runtime/errors.ts'
import { createKernel } from '../../src/runtime/kernel.ts'
import type { OpenTurn } from '../../src/runtime/open-turn.ts'
import type { Turn } from '../../src/runtime/turn-handle.ts'
import { virtualClock } from '../../src/simulate/virtual-clock.ts'
import type { Scene, SceneAsk, SceneStep } from './boundary-scene.ts'

/** What of the product is played: as it is, or loaded with a fault planted in it. */
export interface Product {
  readonly createKernel: typeof createKernel
}

export const PRODUCT: Product = { createKernel }

/** What decided who serves a call, as the host saw it. */
export interface Decision {
  /** Which settings of the scene were in force when the turn began. */
  readonly version: number
  /** The choice of the host or of an operator; null: none. */
  readonly choice: string | null
  /** Its place among the prompts. */
  readonly prompt: number
  /** The profile that the turn has switched to; null: to none. */
  readonly switchedTo: string | null
}

export interface SeenAttempt {
  readonly turn: string
  readonly decision: Decision
  readonly request: Pick<AttemptRequest, 'n' | 'mode' | 'profile' | 'secret' | 'entry' | 'model'>
}

export interface SeenScene {
  readonly attempts: readonly SeenAttempt[]
  readonly outcomes: readonly { readonly decision: Decision; readonly outcome: Outcome }[]
  /** How often each kind of step was carried out, and a switch refused. */
  readonly tally: ReadonlyMap<string, number>
}

/** The texts of a scene; all the same but for the prompt itself, whose class alone may count. */
export interface Texts {
  readonly prompts: readonly string[]
  /** Stands in every other text: the system's, earlier messages, the names and results of tools, and what providers answer. */
  readonly elsewhere: string
}

const MOST_STEPS = 2_000

export async function playScene(product: Product, scene: Scene, texts: Texts): Promise<SeenScene> {
  const stage = new Stage(product, scene, texts)
  for (const step of scene.steps) {
    stage.carryOut(step)
    await settled()
  }
  await stage.finish()
  return stage
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await Promise.resolve()
}

interface Opened {
  readonly turn: OpenTurn
  decision: Decision
}

class Stage implements SeenScene {
  readonly attempts: SeenAttempt[] = []
  readonly outcomes: { decision: Decision; outcome: Outcome }[] = []
  readonly tally = new Map<string, number>()
  readonly #scene: Scene
  readonly #texts: Texts
  readonly #clock = virtualClock(0)
  readonly #kernel: ReturnType<typeof createKernel>
  readonly #decisions = new Map<string, Decision>()
  readonly #choices = new Map<string, string>()
  readonly #opened: Opened[] = []
  readonly #inFlight = new Set<Turn>()
  #version = 0
  #used = { call: 0, stream: 0 }

  constructor({ createKernel: create }: Product, scene: Scene, texts: Texts) {
    this.#scene = scene
    this.#texts = texts
    this.#kernel = create(scene.settings[0] as never, {
      clock: this.#clock,
      random: () => 0.5,
      engines: () => ({ attempt: (request) => this.#attempt(request) }),
      secrets: { env: () => undefined, file: () => undefined },
    })
  }

  carryOut(step: SceneStep): void {
    try {
      this.#do(step)
      this.#count(step.do)
    } catch (error) {
      // Of another load of the product the class is another one.
      if (!RelevoError.isInstance(error)) throw error
      this.#count(`${step.do} refused`)
    }
  }

  async finish(): Promise<void> {
    for (let steps = 0; this.#inFlight.size > 0 && steps < MOST_STEPS; steps++) {
      this.#clock.step()
      await settled()
    }
    await this.#kernel.stop()
  }

  #do(step: SceneStep): void {
    switch (step.do) {
      case 'turn': {
        const turn = this.#kernel.turn({ ...this.#request(step.ask), model: step.model, ...scopesOf(step.scope) })
        this.#watch(turn, this.#decisionOf(step))
        return
      }
      case 'open': {
        const prompt = this.#texts.prompts[step.ask.prompt] ?? ''
        const turn = this.#kernel.openTurn({ model: step.model, prompt, ...scopesOf(step.scope) })
        this.#opened.push({ turn, decision: this.#decisionOf(step) })
        return
      }
      case 'call': {
        const opened = this.#at(step.nth)
        if (opened !== undefined) this.#watch(opened.turn.call(this.#request(step.ask)), opened.decision)
        return
      }
      case 'switch': {
        const opened = this.#at(step.nth)
        if (opened === undefined) return
        opened.turn.switchModel(step.profile, 'switched')
        opened.decision = { ...opened.decision, switchedTo: step.profile }
        return
      }
      case 'cancel':
        return [...this.#inFlight][step.nth]?.cancel()
      case 'choose':
        this.#kernel.chooseModel(step.scope, step.model)
        if (step.model === null) this.#choices.delete(step.scope)
        else this.#choices.set(step.scope, step.model)
        return
      case 'reload':
        this.#kernel.reload(this.#scene.settings[step.version])
        this.#version = step.version
        return
      case 'lift':
        for (const { key } of this.#kernel.holds()) this.#kernel.clearHold(key)
        return
      case 'pass':
        return this.#clock.moveTo(this.#clock.now() + step.ms)
    }
  }

  #at(nth: number): Opened | undefined {
    return this.#opened[nth % Math.max(1, this.#opened.length)]
  }

  #decisionOf({ model, scope, ask }: { readonly model: string | null; readonly scope: string | null; readonly ask: SceneAsk }): Decision {
    const chosen = scope === null ? undefined : this.#choices.get(scope)
    return { version: this.#version, choice: model ?? chosen ?? null, prompt: ask.prompt, switchedTo: null }
  }

  #request({ prompt, stream, sinks, tools }: SceneAsk) {
    const { prompts, elsewhere } = this.#texts
    return {
      stream,
      sinks,
      tools: tools ? [{ name: 'tool', description: elsewhere, parameters: {} }] : [],
      messages: [
        { role: 'system' as const, content: elsewhere },
        { role: 'user' as const, content: elsewhere },
        { role: 'assistant' as const, content: elsewhere },
        { role: 'user' as const, content: prompts[prompt] ?? '' },
      ],
    }
  }

  #watch(turn: Turn, decision: Decision): void {
    this.#decisions.set(turn.id, decision)
    this.#inFlight.add(turn)
    void turn.outcome.then((outcome) => {
      this.#inFlight.delete(turn)
      this.outcomes.push({ decision, outcome })
    })
  }

  #attempt(request: AttemptRequest) {
    const { turn, n, mode, profile, secret, entry, model } = request
    const decision = this.#decisions.get(turn)
    if (decision === undefined) throw new Error(`nobody asked for turn ${turn}`)
    this.attempts.push({ turn, decision, request: { n, mode, profile, secret, entry, model } })
    this.#count(`attempt ${mode}`)
    const items = mode === 'call' ? this.#scene.calls : this.#scene.streams
    const item = items[this.#used[mode]++ % items.length]
    return scriptedEngine({ [entry]: { [mode]: [spoken(item, this.#texts.elsewhere)] } }).attempt(request)
  }

  #count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1)
  }
}

function scopesOf(scope: string | null): { readonly scope?: string } {
  return scope === null ? {} : { scope }
}

/** An item whose text is that of the scene. */
function spoken<Item>(item: Item, text: string): Item {
  return JSON.parse(JSON.stringify(item).replaceAll('\\u0001', JSON.stringify(text).slice(1, -1)))
}
