import { type GatewayOptions, type RunningGateway, startGateway } from '../../../src/faces/gateway/gateway.ts'
import { checkConfig, createKernel, type Kernel, type KernelConfig } from '../../../src/index.ts'
import { type LoopbackProvider, type LoopbackScript, startLoopbackProvider } from '../../../src/testing.ts'

/** A gateway before loopback providers, all on free ports of this machine. */
export interface Rig {
  readonly gateway: RunningGateway
  readonly kernel: Kernel
  readonly provider: LoopbackProvider
  readonly close: () => Promise<void>
}

export interface RigOptions {
  /** By `profile/model`, in the order of use. */
  readonly script: LoopbackScript
  /** In the order of the chain: the first is the primary, and each falls back to the next. */
  readonly profiles: readonly RigProfile[]
  readonly config?: Partial<KernelConfig>
  /** Deadlines of every profile, in ms. */
  readonly timeouts?: NonNullable<NonNullable<KernelConfig['profiles']>[string]>['timeouts']
  readonly gateway?: Omit<GatewayOptions, 'kernel' | 'settings'>
}

export interface RigProfile {
  readonly id: string
  readonly api: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'ollama' | 'bedrock-converse'
  readonly model: string
  readonly price?: { readonly input: number; readonly output: number }
  /** Further settings of the profile. */
  readonly more?: NonNullable<KernelConfig['profiles']>[string]
}

/** Bedrock takes a key of this form as it is; a pair would have to be signed with, for a region that a loopback host does not name. */
const KEY = 'bedrock-api-key-YmVkcm9jaw=='

export async function startRig({ script, profiles, config = {}, timeouts = {}, gateway = {} }: RigOptions): Promise<Rig> {
  const provider = await startLoopbackProvider({ script })
  const written: KernelConfig = {
    primary: profiles[0]?.id ?? '',
    reliability: { providerRetries: 0, jitter: 0, onAllHeld: 'fail' },
    ...config,
    gateway: { port: 0, ...config.gateway },
    profiles: {
      ...Object.fromEntries(
        profiles.map(({ id, api, model, price, more = {} }, index) => {
          const next = profiles[index + 1]
          const fallback = next === undefined ? [] : [next.id]
          const prices = price === undefined ? {} : { price: { [model]: price } }
          return [id, { api, model, endpoint: provider.endpoint(id), apiKey: KEY, fallback, timeouts, ...prices, ...more }]
        }),
      ),
      ...config.profiles,
    },
  }
  const kernel = createKernel(written)
  const { settings } = checkConfig(written, { secrets: { env: () => undefined, file: () => undefined } })
  if (settings === null) throw new Error('the settings of the rig are wrong')
  const running = await startGateway({ kernel, settings: settings.gateway, ...gateway })
  const close = async (): Promise<void> => {
    await running.close(0)
    await kernel.stop()
    await provider.close()
  }
  return { gateway: running, kernel, provider, close }
}
