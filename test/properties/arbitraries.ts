import fc from 'fast-check'
import { type GeneratedScenario, type GeneratedTurn, scenarioWith } from '../../src/simulate/arbitraries.ts'
import { type GeneratedProfile, type GeneratedSettings, settingsArbitrary } from '../../src/simulate/arbitrary-settings.ts'

/** The scenarios that the door offers (`scenarioArbitrary`), with the type of their settings kept: the laws read them. */
export type WrittenProfile = GeneratedProfile
export type WrittenConfig = GeneratedSettings
export type WrittenTurn = GeneratedTurn
export type WrittenScenario = GeneratedScenario<GeneratedSettings>

export const scenario: fc.Arbitrary<WrittenScenario> = scenarioWith(fc, settingsArbitrary(fc))
