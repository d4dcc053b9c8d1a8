import { ConfigError, type Kernel, type Turn, type TurnRequest } from '../../index.ts'
import { TurnCallError } from './call-error.ts'
import { turnOf } from './request.ts'
import { contentOf, finishReasonOf, isAnswered, metadataOf, usageOf } from './result.ts'
import type { ModelAnswer, ModelCall, ModelStream, RelevoModel, SpecificationVersion, Warning } from './specification.ts'
import { TurnStream, turnError } from './turn-stream.ts'

export interface RelevoModelOptions<Version extends SpecificationVersion = SpecificationVersion> {
  /** Version of the AI SDK's model interface: `v3` for AI SDK 6, `v4` for AI SDK 7. Default `v3`. */
  readonly specification?: Version | undefined
}

/** What the model is called where no model is asked for and the settings choose. */
const UNNAMED = 'default'

/**
 * The kernel as a LanguageModel of the AI SDK: each call is one turn. `model` is a model or `hint:<name>`, or nothing for the settings' own
 * choice. `provider` and `modelId` stay the same whoever serves; who did is in `response.modelId` and `providerMetadata.relevo`.
 *
 * Call it with `maxRetries: 0`: the kernel has retried all there was to retry.
 */
export function relevoModel<Version extends SpecificationVersion = 'v3'>(
  kernel: Kernel,
  model?: string,
  options: RelevoModelOptions<Version> = {},
): RelevoModel<Version> {
  return new KernelModel(kernel, model, options.specification ?? ('v3' as Version))
}

class KernelModel<Version extends SpecificationVersion> implements RelevoModel<Version> {
  readonly specificationVersion: Version
  readonly provider = 'relevo'
  readonly modelId: string
  /** None: the AI SDK downloads what is at an address, since not every provider of a plan fetches by itself. */
  readonly supportedUrls = {}
  readonly #kernel: Kernel
  readonly #model: string | undefined

  constructor(kernel: Kernel, model: string | undefined, version: Version) {
    this.#kernel = kernel
    this.#model = model
    this.modelId = model ?? UNNAMED
    this.specificationVersion = version
  }

  async doGenerate(call: ModelCall): Promise<ModelAnswer> {
    const { request, warnings } = turnOf(call, this.#model)
    const turn = this.#begin({ ...request, stream: false })
    const outcome = await turn.outcome
    if (!isAnswered(outcome)) throw await turnError(turn, outcome, this.modelId, call.abortSignal)
    const { served } = outcome
    return {
      content: contentOf(turn, outcome),
      finishReason: finishReasonOf(outcome),
      usage: usageOf(outcome),
      providerMetadata: metadataOf(turn, outcome),
      response: {
        id: turn.id,
        timestamp: new Date(outcome.endedAt),
        headers: headersOf(turn),
        ...(served === null ? {} : { modelId: served.model }),
      },
      warnings,
    }
  }

  async doStream(call: ModelCall): Promise<ModelStream> {
    const { request, warnings } = turnOf(call, this.#model)
    const turn = this.#begin({ ...request, sinks: ['event'] })
    const stream = new TurnStream(turn, this.#asked(call, warnings))
    return { stream: await stream.begin(), response: { headers: headersOf(turn) } }
  }

  #asked(call: ModelCall, warnings: Warning[]): ConstructorParameters<typeof TurnStream>[1] {
    return { model: this.modelId, warnings, signal: call.abortSignal }
  }

  /** A request that cannot be used is the caller's fault, and no call was made. */
  #begin(request: TurnRequest): Turn {
    try {
      return this.#kernel.turn(request)
    } catch (error) {
      if (!(error instanceof Error)) throw error
      throw new TurnCallError(error, { model: this.modelId, statusCode: ConfigError.isInstance(error) ? 400 : 500 })
    }
  }
}

/** Finds the turn in the log of the kernel. */
function headersOf(turn: Turn): Record<string, string> {
  return { 'x-relevo-turn': turn.id }
}
