import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ParticipantStatus, TeamStatus } from '../../../index.ts'
import type { PageParticipant } from '../page-event.ts'
import { useNow, useTools } from './hooks.ts'
import type { PageState } from './state.ts'
import { TeamOrders } from './team-orders.tsx'
import { LogLines, Thread } from './team-thread.tsx'
import { clipped, countdownWords, durationWords, instantWords, spelled } from './words.ts'

/** The team: how it stands, who is where in which chain, its thread and its log, and what may be ordered. */
export function TeamView({ state }: { readonly state: PageState }) {
  const { opened, team } = state
  if (opened === null || opened.team === null) return <p class="empty">No team is at work here.</p>
  return (
    <div class="team">
      <Summary name={opened.team.name} team={team} />
      <TeamOrders team={team} />
      <section class="participants" aria-label="Participants">
        {(team?.participants ?? []).map((participant) => (
          <Participant
            key={participant.id}
            participant={participant}
            file={opened.team?.participants.find(({ id }) => id === participant.id) ?? null}
            running={team?.running?.participant === participant.id}
          />
        ))}
        {team === null && opened.team.participants.map(({ id, path }) => <Waiting key={id} id={id} path={path} />)}
      </section>
      <div class="talk">
        <Thread posts={state.posts} whyNoTexts={reasonAgainstTexts(opened)} />
        <LogLines log={state.log} />
      </div>
    </div>
  )
}

function reasonAgainstTexts({ showsText, takesOrders }: NonNullable<PageState['opened']>): string | null {
  if (showsText) return null
  return takesOrders ? 'Texts are not shown here; start with --show-text to see them.' : 'Texts are in no recording.'
}

function Summary({ name, team }: { readonly name: string; readonly team: TeamStatus | null }) {
  const now = useNow()
  if (team === null) return <h3>{clipped(name)}</h3>
  const { running, wake } = team
  return (
    <section class="summary" aria-label="How the team stands">
      <h3>
        {clipped(name)}{' '}
        <small class={`run ${team.state}`}>
          {spelled(team.state)}
          {team.paused === null ? '' : ` (${spelled(team.paused)})`}
          {team.end === null ? '' : `, ended: ${spelled(team.end)}`}
          {team.ending === null ? '' : `, ${team.ending} after this call`}
        </small>
      </h3>
      <dl class="facts">
        <dt>since</dt>
        <dd>
          {instantWords(team.since, now)} ({durationWords(now - team.since)})
        </dd>
        <dt>running</dt>
        <dd>
          {running === null
            ? 'nobody'
            : `${clipped(running.participant, 80)} on ${clipped(running.engine, 80)}, ${durationWords(now - running.since)}`}
        </dd>
        {wake !== null && (
          <>
            <dt>{wake.by === 'reset' ? 'reset' : 'looks again'}</dt>
            <dd>
              in <b>{countdownWords(wake.at - now)}</b>, at {instantWords(wake.at, now)}
            </dd>
          </>
        )}
        <dt>turns</dt>
        <dd>
          {team.turns}, {team.iterations} {team.iterations === 1 ? 'iteration' : 'iterations'}, {durationWords(team.chargedMs)} charged
        </dd>
      </dl>
    </section>
  )
}

interface ParticipantProps {
  readonly participant: ParticipantStatus
  readonly file: PageParticipant | null
  readonly running: boolean
}

function Participant({ participant, file, running }: ParticipantProps) {
  const { order } = useTools()
  const { id, gate, approved, done, silentRow } = participant
  const marks = [
    running ? 'running' : '',
    done ? 'sees nothing left to do' : '',
    silentRow > 0 ? `silent ${silentRow} in a row` : '',
    gate !== null ? `asks in post ${gate}` : '',
    approved ? 'approved' : '',
  ]
  return (
    <article class={running ? 'card running' : 'card'}>
      <h4>
        {clipped(id, 80)} <small>{marks.filter((mark) => mark !== '').join(', ')}</small>
      </h4>
      {gate !== null && !approved && order !== null && (
        <button type="button" class="first" onClick={() => order({ do: 'approve', participant: id })} aria-label={`Approve ${clipped(id, 80)}`}>
          Approve
        </button>
      )}
      <ol class="places">
        {participant.chain.map((engine) => (
          <Place key={engine.engine} engine={engine} here={engine.engine === participant.engine} />
        ))}
      </ol>
      {participant.engine === null && <p class="warning">This machine has none of its engines.</p>}
      {file?.path != null && <Path path={file.path} id={id} />}
    </article>
  )
}

function Place({
  engine: { engine, limitedUntil, outUntil, stated },
  here,
}: {
  readonly engine: ParticipantStatus['chain'][number]
  readonly here: boolean
}) {
  const now = useNow()
  const until = Math.max(limitedUntil ?? 0, outUntil ?? 0)
  const why = limitedUntil === null ? 'unreachable' : stated ? 'limited' : 'limited, looks again'
  return (
    <li class={until > now ? 'held' : 'free'} aria-current={here ? 'step' : undefined}>
      <span class="name">{clipped(engine, 80)}</span>
      {until > now && (
        <span class="until">
          {why}, <b>{countdownWords(until - now)}</b>
        </span>
      )}
    </li>
  )
}

function Waiting({ id, path }: PageParticipant) {
  return (
    <article class="card">
      <h4>{clipped(id, 80)}</h4>
      {path !== null && <Path path={path} id={id} />}
    </article>
  )
}

/** Where its file is: it is edited with the person's own tools. Its end is seen, since those of a team begin alike. */
function Path({ path, id }: { readonly path: string; readonly id: string }) {
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (field.current !== null) field.current.scrollLeft = field.current.scrollWidth
  }, [path])
  const copy = (): void => void navigator.clipboard?.writeText(path).catch(() => {})
  return (
    <p class="path">
      <input ref={field} readOnly value={path} aria-label={`File of ${clipped(id, 80)}`} onFocus={(event) => event.currentTarget.select()} />
      <button type="button" onClick={copy} aria-label={`Copy path of ${clipped(id, 80)}`}>
        Copy path
      </button>
    </p>
  )
}
