import { onTestFinished } from 'vitest'
import { createKernel, type Kernel, type KernelConfig, type KernelPorts } from '../../../src/index.ts'
import { type LoopbackProvider, type LoopbackScript, startLoopbackProvider } from '../../../src/testing.ts'

/** Two providers on this machine, of different protocols, and a kernel over them. */
export async function relay(
  script: LoopbackScript,
  config: Partial<KernelConfig> = {},
  ports: KernelPorts = {},
): Promise<{ kernel: Kernel; provider: LoopbackProvider }> {
  const provider = await startLoopbackProvider({ script })
  const kernel = createKernel(
    {
      primary: 'openai.main',
      profiles: {
        'openai.main': { model: 'gpt-a', apiKey: 'key-of-main', endpoint: provider.endpoint('openai.main'), fallback: ['anthropic.spare'] },
        'anthropic.spare': { model: 'claude-b', apiKey: 'key-of-spare', endpoint: provider.endpoint('anthropic.spare') },
      },
      reliability: { providerRetries: 0 },
      ...config,
    },
    ports,
  )
  onTestFinished(async () => {
    await kernel.stop()
    await provider.close()
  })
  return { kernel, provider }
}

/** Everything that a stream has left. */
export async function drained<Part>(stream: ReadableStream<Part>): Promise<Part[]> {
  const parts: Part[] = []
  const reader = stream.getReader()
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return parts
    parts.push(value)
  }
}

/** What the value is without the fields that differ from run to run. */
export function field(value: unknown, ...path: (string | number)[]): unknown {
  return path.reduce<unknown>((at, key) => (at as Record<string | number, unknown> | undefined)?.[key], value)
}
