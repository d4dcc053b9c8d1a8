import type { Database } from 'better-sqlite3'
import { ANSWERED } from '../../runtime/ledger-sum.ts'
import { laterVersion, notOurs } from './ledger-fault.ts'

/**
 * What stands in the database; docs/operating.md describes it, and a person may ask it anything.
 *
 * 1. What was asked for stands at the turn, who was called at the attempt: the two never merge (R33).
 * 2. What is not known is NULL and never 0: a count, a cost, an end (R34).
 * 3. The version is in the file. One that a later relevo made is refused whole; an older one is brought up to date in one transaction, or not at all.
 * 4. A database that another program made is not touched.
 */

/** `rlvo`, at the place where SQLite keeps whose file it is. */
const APPLICATION = 0x726c766f

const BILLED = [...ANSWERED].map((outcome) => `'${outcome}'`).join(', ')

const FIRST_VERSION = `
CREATE TABLE turn (
  id INTEGER PRIMARY KEY,
  writer TEXT NOT NULL,
  turn TEXT NOT NULL,
  participant TEXT,
  requested_profile TEXT NOT NULL,
  requested_model TEXT NOT NULL
) STRICT;
CREATE INDEX turn_by_name ON turn (turn, writer);

CREATE TABLE attempt (
  id INTEGER PRIMARY KEY,
  attempt TEXT NOT NULL UNIQUE,
  turn_id INTEGER NOT NULL REFERENCES turn (id) ON DELETE CASCADE,
  n INTEGER NOT NULL,
  provider_ref TEXT NOT NULL,
  model TEXT NOT NULL,
  mode TEXT NOT NULL CHECK (mode IN ('stream', 'call')),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT,
  accepted INTEGER NOT NULL CHECK (accepted IN (0, 1)),
  cost_pico_usd INTEGER,
  CHECK ((ended_at IS NULL) = (outcome IS NULL))
) STRICT;
CREATE INDEX attempt_by_turn ON attempt (turn_id);

CREATE TABLE usage (
  attempt_id INTEGER PRIMARY KEY REFERENCES attempt (id) ON DELETE CASCADE,
  input INTEGER,
  cached_input INTEGER,
  output INTEGER
) STRICT;

CREATE TABLE limit_event (
  id INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  hold_key TEXT NOT NULL,
  reason TEXT NOT NULL,
  until_at INTEGER NOT NULL
) STRICT;

CREATE VIEW turn_cost AS
SELECT
  turn.id AS turn_id,
  turn.turn,
  turn.participant,
  turn.requested_profile,
  turn.requested_model,
  min(attempt.started_at) AS started_at,
  count(*) AS attempts,
  sum(attempt.accepted) AS accepted,
  sum(attempt.ended_at IS NULL) AS open,
  sum(usage.input) AS input,
  sum(usage.cached_input) AS cached_input,
  sum(usage.output) AS output,
  sum(attempt.cost_pico_usd) AS cost_pico_usd,
  sum(
    attempt.cost_pico_usd IS NULL
    AND (usage.attempt_id IS NOT NULL OR attempt.outcome IS NULL OR attempt.outcome IN (${BILLED}))
  ) AS unknown_cost
FROM turn
JOIN attempt ON attempt.turn_id = turn.id
LEFT JOIN usage ON usage.attempt_id = attempt.id
GROUP BY turn.id;
`

/**
 * How an attempt is billed and at whose price, and which of several models inside one it was. An attempt of before had a price where it had a
 * cost; a row of a subscription owes nothing, which is no cost that is unknown.
 */
const BILLS = `
ALTER TABLE attempt ADD COLUMN iteration INTEGER;
ALTER TABLE attempt ADD COLUMN cost_basis TEXT NOT NULL DEFAULT 'unknown';
ALTER TABLE attempt ADD COLUMN price_source TEXT;
ALTER TABLE attempt ADD COLUMN price_version TEXT;
ALTER TABLE attempt ADD COLUMN price_model TEXT;
ALTER TABLE attempt ADD COLUMN reported_pico_usd INTEGER;
UPDATE attempt SET cost_basis = 'metered' WHERE cost_pico_usd IS NOT NULL;

DROP VIEW turn_cost;
CREATE VIEW turn_cost AS
SELECT
  turn.id AS turn_id,
  turn.turn,
  turn.participant,
  turn.requested_profile,
  turn.requested_model,
  min(attempt.started_at) AS started_at,
  count(*) AS attempts,
  sum(attempt.accepted) AS accepted,
  sum(attempt.ended_at IS NULL) AS open,
  sum(usage.input) AS input,
  sum(usage.cached_input) AS cached_input,
  sum(usage.output) AS output,
  sum(attempt.cost_pico_usd) AS cost_pico_usd,
  sum(
    attempt.cost_pico_usd IS NULL
    AND attempt.cost_basis <> 'subscription'
    AND (usage.attempt_id IS NOT NULL OR attempt.outcome IS NULL OR attempt.outcome IN (${BILLED}))
  ) AS unknown_cost,
  sum(attempt.cost_basis = 'subscription') AS subscription,
  sum(attempt.reported_pico_usd) AS reported_pico_usd
FROM turn
JOIN attempt ON attempt.turn_id = turn.id
LEFT JOIN usage ON usage.attempt_id = attempt.id
GROUP BY turn.id;
`

/** Whose request a turn was; of before nobody knows. */
const CALLERS = `
ALTER TABLE turn ADD COLUMN caller TEXT;

DROP VIEW turn_cost;
CREATE VIEW turn_cost AS
SELECT
  turn.id AS turn_id,
  turn.turn,
  turn.participant,
  turn.caller,
  turn.requested_profile,
  turn.requested_model,
  min(attempt.started_at) AS started_at,
  count(*) AS attempts,
  sum(attempt.accepted) AS accepted,
  sum(attempt.ended_at IS NULL) AS open,
  sum(usage.input) AS input,
  sum(usage.cached_input) AS cached_input,
  sum(usage.output) AS output,
  sum(attempt.cost_pico_usd) AS cost_pico_usd,
  sum(
    attempt.cost_pico_usd IS NULL
    AND attempt.cost_basis <> 'subscription'
    AND (usage.attempt_id IS NOT NULL OR attempt.outcome IS NULL OR attempt.outcome IN (${BILLED}))
  ) AS unknown_cost,
  sum(attempt.cost_basis = 'subscription') AS subscription,
  sum(attempt.reported_pico_usd) AS reported_pico_usd
FROM turn
JOIN attempt ON attempt.turn_id = turn.id
LEFT JOIN usage ON usage.attempt_id = attempt.id
GROUP BY turn.id;
`

/** What leads from each version to the next; the first begins with nothing. Those that were released never change. */
export const STEPS: readonly string[] = [FIRST_VERSION, BILLS, CALLERS]

/** Throws a LedgerError, and then nothing was changed. `steps` is for tests. */
export function bringUpToDate(database: Database, path: string, steps: readonly string[] = STEPS): void {
  if (versionOf(database, path, steps.length) === steps.length) return
  const change = database.transaction(() => {
    // Asked again: another process may have been first.
    const version = versionOf(database, path, steps.length)
    for (const step of steps.slice(version)) database.exec(step)
    database.pragma(`application_id = ${APPLICATION}`)
    database.pragma(`user_version = ${steps.length}`)
  })
  change.immediate()
}

/** The version of a ledger, 0 for a database in which nothing stands yet. */
export function versionOf(database: Database, path: string, known = STEPS.length): number {
  // At one moment: another process may be making it.
  return database.transaction(() => versionNow(database, path, known))()
}

function versionNow(database: Database, path: string, known: number): number {
  const version = Number(database.pragma('user_version', { simple: true }))
  const application = Number(database.pragma('application_id', { simple: true }))
  const isEmpty = version === 0 && application === 0 && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (isEmpty) return 0
  if (application !== APPLICATION || version < 1) throw notOurs(path)
  if (version > known) throw laterVersion(path, version, known)
  return version
}
