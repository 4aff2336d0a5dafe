/** When everything happened, the gateway's own time apart from that of others. */
import type { ComponentChildren, JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Timeline, TimelineStep } from '../../../toolwire/src/reading/timeline.ts'
import type { Trace } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { duration, percent, plural, visible } from '../logic/format.ts'
import {
  dotPath,
  dotsOf,
  firstToken,
  hasAttempts,
  type Lane,
  lanesOf,
  roundStarts,
  stepText,
  ticks,
} from '../logic/timeline.ts'
import type { ExchangeDocument } from '../state/api.ts'

export function TimelineView({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { trace, reading } = document
  const { timeline } = reading
  if (timeline === undefined) return <p class="view empty">No times were recorded for this exchange.</p>
  return <Times trace={trace} timeline={timeline} />
}

function Times({ trace, timeline }: { readonly trace: Trace; readonly timeline: Timeline }): JSX.Element {
  const { summary } = trace
  const end = Math.max(timeline.end, 0.1)
  const isAgain = hasAttempts(timeline)
  const token = useMemo(() => firstToken(trace.views['upstream-answer']?.parts), [trace])
  return (
    <div class="view timeline" tabIndex={0}>
      <dl class="figures-row">
        <Figure name="Total" value={duration(summary.total_ms)} />
        <Figure name="First event of the upstream" value={duration(timeline.first_event)} />
        <Figure name="First token" value={duration(token)} />
        <Figure name="First byte for the client" value={duration(summary.first_byte_ms)} />
        <Figure name="Rounds" value={(summary.rounds ?? 1) > 1 ? String(summary.rounds) : ''} />
        <Figure name="Retries" value={summary.retries > 0 ? String(summary.retries) : ''} />
        <Figure name="Failed upstreams" value={visible(summary.failed_upstreams ?? '')} />
      </dl>
      <Shares timeline={timeline} />
      <div class="lanes" role="img" aria-label={spoken(timeline, isAgain)}>
        <div class="scale">
          {ticks(end, 6).map(ms => (
            <span key={ms} style={{ left: `${(100 * ms) / end}%` }}>
              {duration(ms)}
            </span>
          ))}
        </div>
        {roundStarts(timeline).length > 0 && (
          <Line name="Rounds" kind="rounds">
            {roundStarts(timeline).map(({ round, at }) => (
              <span key={round} style={{ left: `${(100 * at) / end}%` }}>
                {round}
              </span>
            ))}
          </Line>
        )}
        {lanesOf(timeline).map(lane => (
          <Bars key={lane.key} lane={lane} end={end} isAgain={isAgain} />
        ))}
        {dotsOf(trace).map(({ label, times }) => (
          <Line key={label} name={plural(times.length, 'event')} more={label} kind="dots">
            <svg class="dot-line" viewBox="0 0 1000 16" preserveAspectRatio="none" aria-hidden="true">
              <path d={dotPath(times, end)} />
            </svg>
          </Line>
        ))}
      </div>
      <Steps timeline={timeline} isAgain={isAgain} />
    </div>
  )
}

export function Figure({
  name,
  value,
}: {
  readonly name: string
  readonly value: string
}): JSX.Element | null {
  if (value === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

/** Whose time it was. */
function Shares({ timeline: { sums, end } }: { readonly timeline: Timeline }): JSX.Element {
  const all = [
    { kind: 'gateway', name: 'The gateway itself', ms: sums.gateway },
    { kind: 'upstream', name: 'Upstreams', ms: sums.upstream },
    { kind: 'tool', name: 'Tools', ms: sums.tool },
    { kind: 'pause', name: 'Pauses before retries', ms: sums.pauses },
  ].filter(({ ms, kind }) => ms > 0 || kind === 'gateway')
  return (
    <figure class="stack time-shares">
      <div
        class="stack-bar"
        role="img"
        aria-label={all.map(({ name, ms }) => `${name} ${duration(ms)}`).join(', ')}
      >
        {all.map(({ kind, ms }) => (
          <i key={kind} class={kind} style={{ width: `${(100 * ms) / Math.max(end, 0.1)}%` }} />
        ))}
      </div>
      <figcaption>
        {all.map(({ kind, name, ms }) => (
          <span key={kind}>
            <i class={kind} /> {name} <b>{duration(ms)}</b> {percent(ms, end)}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function Line({
  name,
  more,
  kind,
  children,
}: {
  readonly name: string
  readonly more?: string | undefined
  readonly kind: string
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <div class={`lane ${kind}`}>
      <span class="lane-name" title={visible(name)}>
        {visible(name)} {more !== undefined && <small>{more}</small>}
      </span>
      <div class="track">{children}</div>
    </div>
  )
}

function Bars({
  lane: { name, who, steps },
  end,
  isAgain,
}: {
  readonly lane: Lane
  readonly end: number
  readonly isAgain: boolean
}): JSX.Element {
  return (
    <Line name={name} more={who === 'gateway' ? undefined : who} kind={who}>
      {steps.map((step, i) => (
        <i
          key={i}
          class={`bar ${step.what} ${step.failure === undefined ? '' : 'failed'}`}
          style={{ left: `${(100 * step.from) / end}%`, width: `${(100 * (step.to - step.from)) / end}%` }}
          title={`${visible(stepText(step, isAgain))}: ${duration(step.to - step.from)}`}
        />
      ))}
    </Line>
  )
}

function whoText({ who, name = '' }: TimelineStep): string {
  return who === 'gateway' ? 'Gateway' : who === 'tool' ? 'Tool' : visible(name)
}

function Steps({
  timeline: { steps, end },
  isAgain,
}: {
  readonly timeline: Timeline
  readonly isAgain: boolean
}): JSX.Element {
  const hasRounds = steps.some(({ round = 1 }) => round > 1)
  return (
    <table class="plain-table">
      <caption class="hidden">The same as a table</caption>
      <thead>
        <tr>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col" class="figures">
            From
          </th>
          <th scope="col" class="figures">
            Took
          </th>
        </tr>
      </thead>
      <tbody>
        {steps.map((step, i) => (
          <tr key={i}>
            <td>
              <i class={`swatch ${step.what === 'pause' ? 'pause' : step.who}`} /> {whoText(step)}
            </td>
            <td>
              {hasRounds && step.round !== undefined && `round ${step.round}, `}
              <span class={step.failure === undefined ? '' : 'bad-word'}>
                {visible(stepText(step, isAgain))}
              </span>
            </td>
            <td class="figures">{duration(step.from)}</td>
            <td class="figures">{duration(step.took)}</td>
          </tr>
        ))}
      </tbody>
      <tfoot>
        <tr>
          <td colSpan={3}>
            Together{hasOverlap(steps) ? ', tools that ran at the same time counted once' : ''}
          </td>
          <td class="figures">{duration(end)}</td>
        </tr>
      </tfoot>
    </table>
  )
}

function hasOverlap(steps: readonly TimelineStep[]): boolean {
  const tools = steps.filter(({ who }) => who === 'tool')
  return tools.some((tool, i) => (tools[i + 1]?.from ?? tool.to) < tool.to)
}

function spoken(timeline: Timeline, isAgain: boolean): string {
  const said = timeline.steps.map(
    step => `${whoText(step)} ${stepText(step, isAgain)} ${duration(step.took)} from ${duration(step.from)}`,
  )
  return `Timeline of ${duration(timeline.end)}: ${said.join('; ')}`
}
