import { describe, expect, it } from 'vitest'
import type { CheckOptions } from '../../src/config/check.ts'
import { checkConfig } from '../../src/config/check.ts'
import { entryName } from '../../src/model/plan.ts'
import { planTurn } from '../../src/plan/plan.ts'
import { brief } from './support.ts'

const installed =
  (...names: readonly string[]): CheckOptions['locate'] =>
  (profile) => {
    if (profile.cli === null) return undefined
    const command = profile.cli.command ?? profile.family
    return names.includes(command) ? { path: `/bin/${command}` } : { command, install: `get ${command}` }
  }

function check(profiles: Record<string, unknown>, locate: CheckOptions['locate'] = installed('claude', 'codex', 'agy', 'gemini-cli'), more = {}) {
  const [primary] = Object.keys(profiles)
  return checkConfig({ primary, profiles, ...more }, { secrets: { env: () => undefined, file: () => undefined }, locate })
}

function namesOf(profiles: Record<string, unknown>, locate?: CheckOptions['locate'], model?: string): string[] | string {
  const { settings } = check(profiles, locate)
  if (settings === null) return 'no settings'
  const planned = planTurn(settings, { model })
  return 'error' in planned ? planned.error.code : planned.plan.entries.map((entry) => `${entryName(entry)} ${entry.model}`)
}

describe('T1 a CLI is a family without an endpoint', () => {
  it('it needs neither a key, nor a model, nor settings', () => {
    expect(check({ 'claude.main': {} }).errors).toEqual([])
    expect(check({ 'claude.main': {} }).settings?.profiles.get('claude.main')?.cli).toEqual({
      command: null,
      args: [],
      directory: null,
      env: {},
      stallMs: 600_000,
      path: '/bin/claude',
      absent: false,
    })
  })

  it('C51 it can be sent no tools and no images', () => {
    const { settings } = check({ 'codex.main': { capabilities: { tools: true, vision: true } } })
    expect(settings?.profiles.get('codex.main')?.capabilities).toEqual({ streaming: true, toolEvents: false, tools: false, vision: false })
  })

  it('a profile of its family with an api is an HTTP profile', () => {
    const { settings } = check({ 'claude.gate': { api: 'openai-chat', endpoint: 'http://127.0.0.1:1', model: 'm' } })
    expect(settings?.profiles.get('claude.gate')?.cli).toBeNull()
  })

  it('`cli` on an HTTP profile is fatal, and the engines are named', () => {
    const { errors } = check({ 'openai.x': { model: 'm', apiKey: 'k', cli: {} } })
    expect(brief(errors)).toEqual(['unknown_setting profiles.openai.x.cli'])
    expect(errors[0]?.remedy).toContain('claude, codex, agy, gemini-cli')
  })

  it.each([
    ['endpoint', 'http://127.0.0.1:1'],
    ['headers', { 'x-team': 'a' }],
    ['body', { seed: 1 }],
    ['completion', 'lenient'],
  ])('`%s` says nothing to a program, and is fatal instead of passed over', (field, value) => {
    const { errors } = check({ 'claude.main': { [field]: value } })
    expect(brief(errors)).toEqual([`unknown_setting profiles.claude.main.${field}`])
    expect(errors[0]?.remedy).toContain('cli.env')
  })

  it('a key for a program that takes none is fatal where it stands: every run would be refused', () => {
    const locate: CheckOptions['locate'] = () => ({ path: '/bin/agy', takesKey: false })
    expect(brief(check({ 'agy.main': { apiKey: 'k' } }, locate).errors)).toEqual(['unknown_setting profiles.agy.main.apiKey'])
    expect(brief(check({ 'agy.main': { apiKeys: ['k', 'l'] } }, locate).errors)).toEqual(['unknown_setting profiles.agy.main.apiKeys'])
    const routes = { modelRoutes: [{ hint: 'x', modelProvider: 'agy.main', model: 'm', apiKey: 'k' }] }
    expect(brief(check({ 'claude.main': {}, 'agy.main': {} }, locate, routes).errors)).toEqual(['unknown_setting modelRoutes[0].apiKey'])
    const blank = { modelRoutes: [{ hint: 'x', modelProvider: 'agy.main', model: 'm', apiKey: ' ' }] }
    expect(check({ 'claude.main': {}, 'agy.main': {} }, locate, blank).errors).toEqual([])
    expect(check({ 'claude.main': { apiKey: 'k' } }).errors).toEqual([])
  })

  it('a host that brings the engine decides what its settings mean, as a scenario does', () => {
    const settings = { endpoint: 'http://127.0.0.1:1', headers: { a: 'b' }, completion: 'lenient', apiKey: 'k' }
    expect(check({ 'agy.main': settings }, () => undefined).errors).toEqual([])
  })

  it.each([
    ['a name that is none', { env: { 'A-B': 'x' } }, 'invalid_setting profiles.claude.main.cli.env.A-B'],
    ['NUL in an argument', { args: ['a\0b'] }, 'invalid_setting profiles.claude.main.cli.args[0]'],
    ['NUL in a value', { env: { A: '\0' } }, 'invalid_setting profiles.claude.main.cli.env.A'],
    ['a blank command', { command: '' }, 'invalid_setting profiles.claude.main.cli.command'],
  ])('%s is refused with its path', (_, cli, expected) => {
    expect(brief(check({ 'claude.main': { cli } }).errors)).toEqual([expected])
  })
})

describe('T10 which model a CLI is asked for', () => {
  it('as the target its own choice, unless the caller names one', () => {
    expect(namesOf({ 'claude.main': {} })).toEqual(['claude.main/* default'])
    expect(namesOf({ 'claude.main': {} }, undefined, 'opus')).toEqual(['claude.main/* opus'])
    expect(namesOf({ 'claude.main': { model: 'haiku' } }, undefined, 'opus')).toEqual(['claude.main/haiku haiku'])
  })

  it('T10 on a hop the model asked of another does not reach it', () => {
    const profiles = { 'openai.x': { apiKey: 'k', fallback: ['claude.main', 'codex.main'] }, 'claude.main': {}, 'codex.main': { model: 'gpt-5' } }
    expect(namesOf(profiles, undefined, 'gpt-4.1')).toEqual(['openai.x/* gpt-4.1', 'claude.main/default default', 'codex.main/gpt-5 gpt-5'])
  })

  it('T6 each model of a CLI has an engine key of its own, an HTTP entry has none', () => {
    const { settings } = check({
      'claude.main': { model: 'opus', fallbackModels: ['haiku'], fallback: ['openai.x'] },
      'openai.x': { model: 'm', apiKey: 'k' },
    })
    const planned = planTurn(settings as NonNullable<typeof settings>)
    expect('plan' in planned ? planned.plan.entries.map((entry) => [entry.holdKey, entry.modelHoldKey]) : planned).toEqual([
      ['claude.main', 'claude.main/opus'],
      ['claude.main', 'claude.main/haiku'],
      ['openai.x', null],
    ])
  })
})

describe('T10 a CLI that this machine lacks', () => {
  const chain = { 'claude.main': { fallback: ['agy.main', 'codex.main'] }, 'agy.main': {}, 'codex.main': {} }

  it('is skipped in a chain with one line that names it', () => {
    const locate = installed('claude', 'codex')
    expect(namesOf(chain, locate)).toEqual(['claude.main/* default', 'codex.main/default default'])
    const { warnings } = check(chain, locate)
    expect(brief(warnings)).toEqual(['cli_not_installed profiles.agy.main'])
    expect(warnings[0]?.message).toBe('There is no program `agy` on this machine; profile `agy.main` is left out.')
    expect(warnings[0]?.remedy).toMatch(/^Install it: get agy .* `cli\.command` of a profile\.$/)
  })

  it('where its path was written, that is to be corrected', () => {
    const { errors } = check({ 'agy.main': { cli: { command: './agy' } } }, installed())
    expect(brief(errors)).toEqual(['cli_not_installed profiles.agy.main'])
    expect(errors[0]?.message).toMatch(/ is no program that this machine can run; profile `agy\.main` cannot be used\.$/)
    expect(errors[0]?.remedy).toMatch(/^Correct `profiles\.agy\.main\.cli\.command`, or leave it out and install the program: get \S/)
  })

  it('G18 the primary is skipped like an entry', () => {
    expect(namesOf(chain, installed('codex'))).toEqual(['codex.main/default default'])
  })

  it('asked for alone it is fatal, with how to install it', () => {
    const { errors, warnings, settings } = check({ 'agy.main': {} }, installed())
    expect(settings).toBeNull()
    expect(brief(errors)).toEqual(['cli_not_installed profiles.agy.main'])
    expect(warnings).toEqual([])
  })

  it('a route to it alone is fatal, whatever the primary is', () => {
    const profiles = { 'openai.x': { model: 'm', apiKey: 'k' }, 'agy.main': {} }
    const { errors } = check(profiles, installed(), { modelRoutes: [{ hint: 'h', modelProvider: 'agy.main', model: 'm' }] })
    expect(brief(errors)).toEqual(['cli_not_installed profiles.agy.main'])
  })

  it('out of reach it is nobody’s business', () => {
    expect(check({ 'openai.x': { model: 'm', apiKey: 'k' }, 'agy.main': {} }, installed()).warnings).toEqual([])
  })

  it('nothing is looked for where the host brings the engine, and the profile is as any other', () => {
    const profiles = { 'agy.main': { model: 'm', fallback: ['codex.x'], capabilities: { vision: false } }, 'codex.x': {} }
    const { settings } = check(profiles, () => undefined)
    expect(settings?.profiles.get('agy.main')).toMatchObject({ cli: null, capabilities: { tools: true, vision: false } })
    expect(namesOf(profiles, () => undefined)).toEqual(['agy.main/m m', 'codex.x/* m'])
  })

  it('a plan says which of its entries were left out', () => {
    const { settings } = check(chain, installed('claude', 'codex'))
    const planned = planTurn(settings as NonNullable<typeof settings>)
    expect('plan' in planned ? brief(planned.plan.warnings) : planned).toEqual(['cli_not_installed profiles.agy.main'])
  })
})
