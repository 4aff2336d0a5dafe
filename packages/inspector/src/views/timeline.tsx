/** When everything happened, the gateway's own time apart from that of others. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { duration, plural, visible } from '../logic/format.ts'
import { type Bar, type Timeline, ticks, timelineOf } from '../logic/timeline.ts'
import type { ExchangeDocument } from '../state/api.ts'

const laneNames: { readonly [lane in Bar['lane']]: string } = {
  gateway: 'Gateway',
  upstream: 'Upstream',
  tool: 'Tools',
  client: 'Client',
}
const mostDots = 400

export function TimelineView({ document: { trace } }: { readonly document: ExchangeDocument }): JSX.Element {
  const timeline = useMemo(() => timelineOf(trace), [trace])
  if (timeline === undefined) return <p class="view empty">No times were recorded for this exchange.</p>
  const { end, bars, dots, retries, ownMs, firstTokenMs } = timeline
  const scale = ticks(end, 6)
  return (
    <div class="view timeline">
      <dl class="figures-row">
        <Figure name="Total" value={duration(trace.summary.total_ms)} />
        <Figure name="First byte for the client" value={duration(firstTokenMs)} />
        <Figure name="The gateway’s own time" value={duration(ownMs)} />
        <Figure name="Waited for others" value={waited(timeline, trace.summary.total_ms)} />
        <Figure name="Rounds" value={String(trace.summary.rounds ?? 1)} />
        <Figure name="Retries" value={String(trace.summary.retries)} />
      </dl>
      <div class="lanes" role="img" aria-label={spoken(timeline)}>
        <div class="scale">
          {scale.map(ms => (
            <span key={ms} style={{ left: `${(100 * ms) / end}%` }}>
              {duration(ms)}
            </span>
          ))}
        </div>
        {(['gateway', 'upstream', 'tool'] as const).map(lane => (
          <Lane key={lane} lane={lane} bars={bars.filter(bar => bar.lane === lane)} end={end} />
        ))}
        {retries.length > 0 && <DotLane label="Retries" times={retries} end={end} kind="retry" />}
        {dots.map(({ label, times }) => (
          <DotLane
            key={label}
            label={`${plural(times.length, 'event')}, ${label.replace('events ', '')}`}
            times={times}
            end={end}
            kind="event"
          />
        ))}
      </div>
      <Steps bars={bars} />
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

function waited({ ownMs }: Timeline, total: number | undefined): string {
  return total === undefined || ownMs === undefined ? '' : duration(Math.max(0, total - ownMs))
}

function Lane({
  lane,
  bars,
  end,
}: {
  readonly lane: Bar['lane']
  readonly bars: readonly Bar[]
  readonly end: number
}): JSX.Element | null {
  if (bars.length === 0) return null
  // Tools run side by side, each on a line of its own.
  const rows = lane === 'tool' ? bars.map(bar => [bar]) : [bars]
  return (
    <>
      {rows.map((row, i) => (
        <div key={i} class={`lane ${lane}`}>
          <span class="lane-name">{lane === 'tool' ? visible(row[0]?.label ?? '') : laneNames[lane]}</span>
          <div class="track">
            {row.map((bar, j) => (
              <i
                key={j}
                class={`bar ${bar.isFailed ? 'failed' : ''} ${bar.label.includes('waiting') ? 'waiting' : ''}`}
                style={{ left: `${(100 * bar.from) / end}%`, width: `${(100 * (bar.to - bar.from)) / end}%` }}
                title={`${bar.label}: ${duration(bar.to - bar.from)}`}
              />
            ))}
          </div>
        </div>
      ))}
    </>
  )
}

function DotLane({
  label,
  times,
  end,
  kind,
}: {
  readonly label: string
  readonly times: readonly number[]
  readonly end: number
  readonly kind: string
}): JSX.Element {
  const step = Math.max(1, Math.ceil(times.length / mostDots))
  const shown = times.filter((_, i) => i % step === 0)
  return (
    <div class="lane dots">
      <span class="lane-name">{label}</span>
      <div class="track">
        {shown.map((ms, i) => (
          <i key={i} class={`dot ${kind}`} style={{ left: `${(100 * ms) / end}%` }} title={duration(ms)} />
        ))}
      </div>
    </div>
  )
}

function Steps({ bars }: { readonly bars: readonly Bar[] }): JSX.Element {
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
        {[...bars]
          .sort((a, b) => a.from - b.from)
          .map(({ lane, label, from, to, isFailed }, i) => (
            <tr key={i}>
              <td>{laneNames[lane]}</td>
              <td>
                {visible(label)}
                {isFailed && <span class="bad-word"> failed</span>}
              </td>
              <td class="figures">{duration(from)}</td>
              <td class="figures">{duration(to - from)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

function spoken({ bars, end }: Timeline): string {
  return `Timeline of ${duration(end)}: ${bars.map(({ lane, label, from, to }) => `${laneNames[lane]} ${label} ${duration(to - from)} from ${duration(from)}`).join('; ')}`
}
