import ts from 'typescript'
import { describe, expect, test, vi } from 'vitest'
import { VOICES } from '../../src/engines/cli/notice/voices.ts'
import { NOTICE_PROVIDERS } from '../../src/model/notice.ts'
import { parse, readTree, walk } from '../architecture/source.ts'
import { faultsOf, literalsOf, treeOf, unboundedIn } from './cli-pattern.ts'

const WORDINGS = NOTICE_PROVIDERS.flatMap((provider) => VOICES[provider].wordings)
/** The tables of notices: wordings, what takes one back, and what may stand before one. */
const TABLES = unique([
  ...WORDINGS.flatMap(({ pattern, unless }) => (unless === undefined ? [pattern] : [pattern, unless])),
  ...NOTICE_PROVIDERS.flatMap((provider) => VOICES[provider].openings),
])

function unique(patterns: readonly RegExp[]): [string, RegExp][] {
  return [...new Map(patterns.map((pattern) => [String(pattern), pattern]))]
}

/** Every literal of a pattern in the sources that read what a program prints. */
function literalPatterns(): RegExp[] {
  const found: RegExp[] = []
  for (const [path, text] of readTree(['src/engines/cli', 'src/engines/http'])) {
    if (path.startsWith('src/engines/http/') && path !== 'src/engines/http/wording.ts') continue
    walk(parse(path, text), (node) => {
      if (node.kind !== ts.SyntaxKind.RegularExpressionLiteral) return
      const [, source = '', flags = ''] = /^\/(.*)\/([a-z]*)$/s.exec(node.getText()) ?? []
      found.push(new RegExp(source, flags))
    })
  }
  return found
}

/** Those that are put together of parts, seen as their modules make them. */
async function builtPatterns(): Promise<RegExp[]> {
  const built: RegExp[] = []
  const real = globalThis.RegExp
  vi.resetModules()
  vi.stubGlobal(
    'RegExp',
    new Proxy(real, {
      construct(target, args: [string, string?]) {
        const made = new target(...args)
        built.push(made)
        return made
      },
    }),
  )
  try {
    await import('../../src/engines/cli/notice/read-notice.ts')
    return built.slice()
  } finally {
    vi.unstubAllGlobals()
    vi.resetModules()
  }
}

/** Repeats of what stands in a pattern, of its beginning, and of both with what nearly goes on. */
function adversaries(pattern: RegExp): string[] {
  const literals = literalsOf(pattern)
  const beginning = literals.slice(0, 3).join('')
  return [...literals, beginning, ...literals.flatMap((one) => [`${one} `, `${beginning}${one}`]), `${literals.join(' ')} `].filter(
    (one) => one !== '',
  )
}

const LONGEST_MS = 5
/** The machine may be busy in a few rounds; what a pattern costs, it costs in all. */
const MOST_ROUNDS = 20

function leastMs(pattern: RegExp, text: string): number {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < MOST_ROUNDS && least >= LONGEST_MS; round++) {
    pattern.lastIndex = 0
    const begunAt = performance.now()
    pattern.test(text)
    least = Math.min(least, performance.now() - begunAt)
  }
  return least
}

describe('RE-01 no pattern of a notice can be made slow', () => {
  test.each(TABLES)('RE-01 %s takes less than 5 ms, whatever of its own words is repeated', (_name, pattern) => {
    for (const piece of adversaries(pattern))
      for (const length of [300, 100_000]) {
        const text = piece.repeat(Math.ceil(length / piece.length)).slice(0, length)
        expect(leastMs(pattern, text), `${length} of ${JSON.stringify(piece)}`).toBeLessThan(LONGEST_MS)
      }
  })

  test('RE-01 no table of notices has a run without a bound', () => {
    for (const [name, pattern] of TABLES) expect(unboundedIn(pattern), name).toBe(0)
  })

  test('RE-01 whatever reads what a program prints has one run without a bound at the most, and none inside of another', async () => {
    const patterns = unique([...literalPatterns(), ...(await builtPatterns())])
    expect(patterns.length).toBeGreaterThan(TABLES.length)
    for (const [name, pattern] of [...TABLES, ...patterns]) expect(faultsOf(pattern), name).toEqual([])
  })

  test('RE-01 those that are built are seen: a parted one of claude, and one for times', async () => {
    const built = (await builtPatterns()).map(String)
    expect(built.some((one) => one.includes('limit reached(?=$'))).toBe(true)
    expect(built.some((one) => one.includes('january') || one.includes('jan(?:uary)?'))).toBe(true)
  })
})

describe('RE-01 the rule finds what is slow', () => {
  test.each([
    [/^(a+)+$/, 'a run without a bound is repeated'],
    [/(\w+\s?)*/, 'a run without a bound is repeated'],
    [/(?:a|b{1,3})*c/, 'a run without a bound repeats runs'],
    [/.*limit.*resets.*at/, 'two runs without a bound'],
    [/^(?:[\w ]{1,20} ){1,9}limit/, 'what is repeated can be read in two ways'],
    [/^(?:\w{1,9}|\w{2,8}x){1,9}$/, 'what is repeated can be read in two ways'],
  ])('RE-01 %s: %s', (pattern, fault) => expect(faultsOf(pattern)).toContain(fault))

  test.each([/^(?:[\w-]{1,20} ){0,3}quota/, /^a+b{1,3}$/, /(?:a|bc)*/, /^[^)(]*\)$/, /^(?:\d{1,3}\.){3}\d{1,3}$/])('RE-01 %s is none', (pattern) =>
    expect(faultsOf(pattern)).toEqual([]),
  )

  test('RE-01 a pattern that it cannot read is no pattern without a fault', () => {
    expect(() => treeOf(/(?<name>a)\k<name>/)).toThrow('is not known')
  })
})
