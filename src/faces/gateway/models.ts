import type { GatewayKey, Kernel } from '../../index.ts'
import { defaultDomain, mayAsk } from './reach.ts'

/**
 * What can be asked for, as a client writes it in `model`: hints, profiles, each model of a profile, and the plain names of the models that
 * the default domain has. A key with a list sees what is in it.
 */
export function modelNames(kernel: Kernel, key: GatewayKey | null): readonly string[] {
  // What would be refused as it is asked for is none of them.
  const profiles = kernel.profiles().filter(({ callable }) => callable)
  const plain = profiles.find(({ id }) => id === defaultDomain(kernel)?.target)?.models ?? []
  const names = [
    ...kernel.hints().map(({ hint }) => `hint:${hint}`),
    ...profiles.flatMap(({ id, models }) => [id, ...models.map((model) => `${id}/${model}`)]),
    ...plain,
  ]
  const list = key?.models ?? null
  return [...new Set(names)].filter((name) => list === null || mayAsk(kernel, list, name))
}

/** `at`: since when they are there, in epoch ms. */
export type ModelsVoice = {
  list(names: readonly string[], at: number): object
  one(name: string, at: number): object
}

export const openaiModels: ModelsVoice = {
  list: (names, at) => ({ object: 'list', data: names.map((name) => openaiModels.one(name, at)) }),
  one: (id, at) => ({ id, object: 'model', created: Math.floor(at / 1000), owned_by: 'relevo' }),
}

/** All on one page, whatever was asked. */
export const anthropicModels: ModelsVoice = {
  list: (names, at) => ({
    data: names.map((name) => anthropicModels.one(name, at)),
    has_more: false,
    first_id: names[0] ?? null,
    last_id: names.at(-1) ?? null,
  }),
  one: (id, at) => ({ type: 'model', id, display_name: id, created_at: new Date(at).toISOString() }),
}
