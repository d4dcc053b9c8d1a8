import { z } from 'zod'
import { FAULTS, type Fault, type FaultKind, type Place } from './fault.ts'

/** What each fault of a script must say; a word that is misspelt or left out would have another fault done, or none. */
const count = z.number().int().nonnegative()
const positive = z.number().int().positive()

const place = z.union(
  [
    z.number().int(),
    z.literal('end'),
    z.strictObject({ beforeEvent: count }),
    z.strictObject({ insideEvent: count }),
    z.strictObject({ frame: z.number().int() }),
  ],
  { error: 'expected a place: a byte, a byte from the end (below 0), "end", { beforeEvent: 0 }, { insideEvent: 0 } or { frame: 0 }' },
) satisfies z.ZodType<Place>

const cap = positive.optional()
const seed = z.number().optional()
const kind = <Kind extends FaultKind>(name: Kind) => z.literal(name)

const FIELDS = {
  cut: z.strictObject({ kind: kind('cut'), at: place, by: z.enum(['end', 'fin', 'rst']) }),
  stall: z.strictObject({ kind: kind('stall'), at: place }),
  silence: z.strictObject({ kind: kind('silence') }),
  stallBeforeHeaders: z.strictObject({ kind: kind('stallBeforeHeaders') }),
  closeAtOnce: z.strictObject({ kind: kind('closeAtOnce') }),
  notHttp: z.strictObject({ kind: kind('notHttp'), bytes: count, seed }),
  headerBomb: z.strictObject({ kind: kind('headerBomb'), bytes: count }),
  brokenFraming: z.strictObject({ kind: kind('brokenFraming'), at: place }),
  garbage: z.strictObject({ kind: kind('garbage'), bytes: count, seed, at: place.optional() }),
  html200: z.strictObject({ kind: kind('html200') }),
  error200: z.strictObject({ kind: kind('error200'), http: z.number().int().min(400).max(599), message: z.string().optional() }),
  wrongContentType: z.strictObject({ kind: kind('wrongContentType'), contentType: z.string().optional() }),
  gzip: z.strictObject({ kind: kind('gzip'), when: z.enum(['always', 'asked']).optional() }),
  oversizeLine: z.strictObject({ kind: kind('oversizeLine'), capBytes: cap }),
  oversizeEvent: z.strictObject({ kind: kind('oversizeEvent'), capBytes: cap }),
  hugeBody: z.strictObject({ kind: kind('hugeBody'), megabytes: z.number().positive() }),
  dribble: z.strictObject({ kind: kind('dribble'), bytes: positive, everyMs: z.number().nonnegative().optional() }),
  slow: z.strictObject({ kind: kind('slow'), everyMs: z.number().nonnegative() }),
  endTwice: z.strictObject({ kind: kind('endTwice') }),
  contentAfter: z.strictObject({ kind: kind('contentAfter'), text: z.string() }),
  holdOpen: z.strictObject({ kind: kind('holdOpen') }),
} satisfies { readonly [Kind in FaultKind]: z.ZodType<Extract<Fault, { kind: Kind }>> }

/** What is wrong with the fields of a fault whose kind is known, each problem with its field. */
function fieldProblems(name: FaultKind, fault: unknown): string[] {
  const read = FIELDS[name].safeParse(fault)
  if (read.success) return []
  return read.error.issues.map((issue) => `${issue.path.length === 0 ? name : `${name}.${z.core.toDotPath(issue.path)}`}: ${issue.message}`)
}

/** Those after which no answer is left that another fault could be done to. */
const WITHOUT_ANSWER: ReadonlySet<FaultKind> = new Set(['silence', 'stallBeforeHeaders', 'closeAtOnce', 'notHttp'])

/** What is wrong with the faults of an item, a line each. */
export function faultProblems(fault: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(fault) ? fault : [fault]
  if (list.length === 0) return ['an empty list of faults; leave `fault` out']
  return list.flatMap((one, index) => {
    const kind = (one as { kind?: unknown } | null)?.kind
    if (typeof kind !== 'string' || !Object.hasOwn(FAULTS, kind)) {
      return [`no fault is called ${JSON.stringify(kind)}; there are ${Object.keys(FAULTS).join(', ')}`]
    }
    const follows = WITHOUT_ANSWER.has(kind as FaultKind) && list.length > 1
    const alone = follows ? [`${kind} (${index + 1} of ${list.length}) leaves no answer for another fault; it stands alone`] : []
    return [...fieldProblems(kind as FaultKind, one), ...alone]
  })
}
