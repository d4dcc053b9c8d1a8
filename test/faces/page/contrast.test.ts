import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const CSS = readFileSync(new URL('../../../src/faces/page/client/page.css', import.meta.url), 'utf8')

/** The colours of a scheme: those of dark stand in the media query, behind those of light. */
function colours(of: 'light' | 'dark'): Map<string, string> {
  const isDark = CSS.indexOf('prefers-color-scheme: dark')
  const part = of === 'light' ? CSS.slice(0, isDark) : CSS.slice(isDark)
  const [rules = ''] = part.slice(part.indexOf('--ground')).split('}')
  return new Map([...rules.matchAll(/--([\w-]+): (#[0-9a-f]{6})/g)].map(([, name = '', value = '']) => [name, value]))
}

/** WCAG 2.2, relative luminance and contrast. */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe.each(['light', 'dark'] as const)('WCAG 1.4.11 in %s', (scheme) => {
  const of = colours(scheme)
  test.each(['edge', 'wait-fill', 'focus', 'accent'])('%s is told from what it stands on', (name) => {
    for (const ground of ['ground', 'raised']) expect(contrast(of.get(name) ?? '', of.get(ground) ?? ''), ground).toBeGreaterThanOrEqual(3)
  })
})
