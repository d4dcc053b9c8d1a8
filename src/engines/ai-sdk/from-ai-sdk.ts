import { Observable } from 'rxjs'
import type { Profile } from '../../model/settings.ts'
import type { Engine, EngineResolver } from '../contract.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { SdkAttempt } from './sdk-attempt.ts'
import type { AiSdkSource } from './sdk-model.ts'

export interface FromAiSdkOptions {
  /** Protocol that the model speaks, a name of `HTTP_APIS`: how errors in it are read. Default: that of the profile. */
  readonly api?: string | undefined
  /** What the guarded fetch calls in turn. Default: the global one. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/**
 * A language model of the AI SDK as an engine. Hand in a function rather than a model where you can: it is called for each attempt with the
 * entry's model and credential, and with a fetch under which a truncated stream is never taken for a whole one.
 */
export function fromAiSdk(source: AiSdkSource, options: FromAiSdkOptions = {}): Engine {
  return {
    attempt: (request) =>
      new Observable((subscriber) => {
        const api = options.api ?? request.profile.api ?? undefined
        const attempt = new SdkAttempt(request, api, subscriber)
        subscriber.add(() => attempt.cancel())
        void attempt.begin(source, guardedFetch({ ...options, api }))
      }),
  }
}

/**
 * The port `engines` for profiles that are served by the AI SDK, by profile id; all other profiles keep the engine of their protocol.
 */
export function aiSdkEngines(sources: Readonly<Record<string, AiSdkSource>>, options: FromAiSdkOptions = {}): EngineResolver {
  const engines = new Map(Object.entries(sources).map(([profile, source]) => [profile, fromAiSdk(source, options)]))
  return (profile: Profile) => engines.get(profile.id)
}
