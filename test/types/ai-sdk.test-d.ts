import type { LanguageModelV3 } from '@ai-sdk/provider'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider-v4'
import type { LanguageModel } from 'ai'
import { expectTypeOf } from 'vitest'
import { type RelevoModel, relevoModel } from '../../src/ai-sdk.ts'
import type { Kernel } from '../../src/index.ts'

// What a host of AI SDK 6 and of AI SDK 7 relies on. Checked by tsc (npm run check), never run.

declare const kernel: Kernel

// One implementation is a model of each version.
const v3: LanguageModelV3 = relevoModel(kernel, 'hint:fast')
const v4: LanguageModelV4 = relevoModel(kernel, 'hint:fast', { specification: 'v4' })
expectTypeOf(relevoModel(kernel)).toEqualTypeOf<RelevoModel<'v3'>>()
expectTypeOf(relevoModel(kernel)).toExtend<LanguageModel>()
expectTypeOf(v3.specificationVersion).toEqualTypeOf<'v3'>()

// @ts-expect-error a model of version 3 is none of version 4
expectTypeOf(relevoModel(kernel)).toExtend<LanguageModelV4>()
// @ts-expect-error nor the other way round
expectTypeOf(relevoModel(kernel, undefined, { specification: 'v4' })).toExtend<LanguageModelV3>()
// @ts-expect-error there is no version 5
relevoModel(kernel, undefined, { specification: 'v5' })

// Whatever version 4 may ask is taken, and whatever is given back is of version 4. Checked at the call, where methods are not bivariant.
declare const call: LanguageModelV4CallOptions
const generated = relevoModel(kernel, undefined, { specification: 'v4' }).doGenerate(call)
expectTypeOf(generated).toExtend<ReturnType<LanguageModelV4['doGenerate']>>()
const streamed = relevoModel(kernel, undefined, { specification: 'v4' }).doStream(call)
expectTypeOf(streamed).toExtend<ReturnType<LanguageModelV4['doStream']>>()
type Part = Awaited<typeof streamed>['stream'] extends ReadableStream<infer Value> ? Value : never
expectTypeOf<Part>().toExtend<LanguageModelV4StreamPart>()
expectTypeOf<Part>().not.toBeAny()
expectTypeOf(v4.provider).toBeString()
