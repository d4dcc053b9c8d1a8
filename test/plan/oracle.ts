/** The part of written settings that the order of a plan depends on. */
interface Written {
  readonly model?: string
  readonly fallbackModels: readonly string[]
  readonly fallback: readonly string[]
  readonly apiKeys?: readonly string[]
}

interface Config {
  readonly primary: string
  readonly model: string | null
  readonly profiles: Readonly<Record<string, Written>>
  readonly modelRoutes: readonly { readonly modelProvider: string; readonly apiKey?: string }[]
}

export const isBlank = (text: string | null | undefined): boolean => text === undefined || text === null || text.trim() === ''

/** `label/pin` in order, or null pins as `*`. */
export function oracle(written: Config, target: string): string[] {
  const out: string[] = []
  const visit = (id: string, path: readonly string[]): void => {
    const own = written.profiles[id]
    if (own === undefined || path.includes(id) || path.length > 3) return
    const pin = path.length === 0 && target === written.primary && !isBlank(written.model) ? written.model : own.model
    const models = isBlank(pin) ? ['*'] : [pin as string, ...own.fallbackModels.filter((one) => !isBlank(one))]
    const routeKey = written.modelRoutes.some((route) => route.modelProvider === id && route.apiKey !== undefined)
    const labels = own.apiKeys === undefined || (path.length === 0 && routeKey) ? [id] : own.apiKeys.map((_, index) => `${id}#${index + 1}`)
    for (const label of labels) for (const one of models) out.push(`${label}/${one}`)
    for (const next of own.fallback) visit(next, [...path, id])
  }
  visit(target, [])
  return out.filter((name, index) => out.indexOf(name) === index)
}
