/** A hole in a boundary: a piece of a source, what stands there instead, and the law that has to find it. */
export interface Hole {
  readonly name: string
  readonly file: string
  readonly piece: string
  readonly instead: string
  readonly law: RegExp
}

export const HOLES: readonly Hole[] = [
  {
    name: 'the key of a route travels along the fallbacks of its target',
    file: 'src/plan/domains.ts',
    piece: 'isTarget ? routeCredential(settings.modelRoutes, profile.id) : undefined',
    instead: 'settings.modelRoutes.find((route) => route.secret !== null)',
    law: /^R1 R10/,
  },
  {
    name: 'the second key of a pool is the first once more',
    file: 'src/runtime/attempt-request.ts',
    piece: 'secret: entry.secret,',
    instead: 'secret: entry.profile.credentials[0]?.secret ?? entry.secret,',
    law: /^R1 R10/,
  },
  {
    name: 'a running turn is served by the profiles of a reload',
    file: 'src/runtime/turn-run.ts',
    piece: 'attempt, entry, this.#core.clock)',
    instead: 'attempt, { ...entry, profile: this.#core.settings.profiles.get(entry.profile.id) ?? entry.profile }, this.#core.clock)',
    law: /^R1 no attempt carries an address/,
  },
  {
    name: 'a local decision is a preference',
    file: 'src/plan/plan.ts',
    piece: 'allow: cloud ? null : domain.localProfiles',
    instead: 'allow: null',
    law: /^AG-01/,
  },
  {
    name: 'a switch opens what a local decision had closed',
    file: 'src/plan/plan.ts',
    piece: 'return { domain: primary, model: null, allow, warnings: [] }',
    instead: 'return { domain: primary, model: null, allow: null, warnings: [] }',
    law: /^AG-01/,
  },
  {
    name: 'a prompt that begins like a hint is one',
    file: 'src/plan/plan.ts',
    piece: 'const explicit = model === AUTO ? null : model',
    instead: "const explicit = model === AUTO ? null : (model ?? (ask.prompt?.startsWith('hint:') ? ask.prompt : null))",
    law: /^AG-02/,
  },
  {
    name: 'the class is that of the whole conversation',
    file: 'src/runtime/turns.ts',
    piece: 'call.plan(needs, lastPrompt(messages))',
    instead: "call.plan(needs, messages.map(({ content }) => content).join('\\n'))",
    law: /^AG-02/,
  },
]

/** The text of its file with the hole in it. */
export function changed({ name, file, piece, instead }: Hole, text: string | undefined): string {
  const parts = text?.split(piece) ?? []
  if (parts.length !== 2) throw new Error(`${file} does not hold, once, what is exchanged for "${name}": ${piece}`)
  return parts.join(instead)
}
