/** The gateway as it runs, and how it went in the recent past. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Trace } from '../../../toolwire/src/telemetry/trace-document.ts'
import { type Slice, slicesOf } from '../logic/charts.ts'
import { bytes, clockTime, count, duration, percent, plural, short, visible } from '../logic/format.ts'
import { fetchJson } from '../state/api.ts'
import { app } from '../state/app.ts'
import { type GatewayStatus, useModels, useStatus } from '../state/status.ts'
import { useStore } from '../state/store.ts'
import { Figure } from './timeline.tsx'
import { Tree } from './tree.tsx'

const slices = 40

export function Health(): JSX.Element {
  const { value: status, problem } = useStatus(true)
  const summaries = useStore(app, state => state.summaries)
  const past = useMemo(() => slicesOf(summaries, slices), [summaries])
  if (status === undefined) return <p class="empty">{problem ?? 'Loading…'}</p>
  const { readiness, memory } = status
  return (
    <div class="view health">
      <h1>Health</h1>
      <dl class="figures-row">
        <Figure name="Gateway" value={readiness.status} />
        <Figure name="Version" value={status.version} />
        <Figure name="Store" value={readiness.store ?? readiness.reason ?? ''} />
        <Figure
          name="Memory in flight"
          value={`${bytes(memory.used)} (${percent(memory.used, memory.limit)})`}
        />
        <Figure name="Background responses" value={String(status.background)} />
        <Figure name="Exchanges kept" value={count(summaries.length)} />
      </dl>
      {past.length > 0 && (
        <div class="charts">
          <Chart title="Requests" past={past} read={slice => slice.requests} show={count} />
          <Chart title="Failures" past={past} read={slice => slice.failures} show={count} kind="bad" />
          <Chart title="Median time" past={past} read={slice => slice.median} show={duration} />
          <Chart title="Tokens in" past={past} read={slice => slice.input} show={short} />
          <Chart title="Tokens out" past={past} read={slice => slice.output} show={short} />
          <Chart title="Losses" past={past} read={slice => slice.losses} show={count} kind="warn" />
        </div>
      )}
      <LossesByCode />
      <Upstreams status={status} />
      <Servers status={status} />
      <Models />
      {status.about?.config !== undefined && (
        <section class="card config">
          <h2>Configuration in force</h2>
          <Tree value={status.about.config} label="configuration" />
        </section>
      )}
    </div>
  )
}

interface ChartProps {
  readonly title: string
  readonly past: readonly Slice[]
  readonly kind?: 'bad' | 'warn'
  read(slice: Slice): number
  show(value: number): string
}

function Chart({ title, past, read, show, kind }: ChartProps): JSX.Element {
  const values = past.map(read)
  const most = Math.max(...values)
  const [first, last] = [past[0], past.at(-1)]
  return (
    <figure class={`chart ${kind ?? ''}`}>
      <figcaption>
        {title} <b>{most === 0 ? 'none' : `up to ${show(most)}`}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${slices * 4} 40`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: at most ${show(most)}`}
      >
        {values.map((value, i) => (
          <rect key={i} x={i * 4} width="3" y={40 - height(value, most)} height={height(value, most)} />
        ))}
      </svg>
      <p>
        <span>{first && clockTime(new Date(first.from).toISOString())}</span>
        <span>{last && clockTime(new Date(last.from).toISOString())}</span>
      </p>
    </figure>
  )
}

function height(value: number, most: number): number {
  return most === 0 || value === 0 ? 0 : Math.max(1.5, (38 * value) / most)
}

const mostLooked = 50

/** Of the newest exchanges that lost something; the list has only how many. */
function LossesByCode(): JSX.Element | null {
  const lossy = useStore(app, ({ summaries }) =>
    summaries
      .filter(({ losses }) => losses > 0)
      .slice(0, mostLooked)
      .map(({ id }) => id)
      .join(' '),
  )
  const [codes, setCodes] = useState<ReadonlyMap<string, number>>(new Map())
  useEffect(() => {
    let isWanted = true
    const ids = lossy === '' ? [] : lossy.split(' ')
    void Promise.all(ids.map(id => fetchJson<Trace>(`/toolwire/traces/${id}`).catch(() => undefined))).then(
      traces => {
        const counts = new Map<string, number>()
        for (const { code } of traces.flatMap(trace => trace?.losses ?? []))
          counts.set(code, (counts.get(code) ?? 0) + 1)
        if (isWanted) setCodes(counts)
      },
    )
    return () => {
      isWanted = false
    }
  }, [lossy])
  if (codes.size === 0) return null
  const most = Math.max(...codes.values())
  return (
    <section class="card">
      <h2>Losses by code</h2>
      <table class="plain-table">
        <tbody>
          {[...codes]
            .sort((a, b) => b[1] - a[1])
            .map(([code, number]) => (
              <tr key={code}>
                <th scope="row">
                  <code>{code}</code>
                </th>
                <td class="share">
                  <i class="tools" style={{ width: `${(100 * number) / most}%` }} />
                  <span>{count(number)}</span>
                </td>
              </tr>
            ))}
        </tbody>
      </table>
    </section>
  )
}

function Upstreams({ status }: { readonly status: GatewayStatus }): JSX.Element {
  const summaries = useStore(app, state => state.summaries)
  return (
    <section class="card">
      <h2>Upstreams</h2>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Wires</th>
            <th scope="col">Address</th>
            <th scope="col">Lately</th>
          </tr>
        </thead>
        <tbody>
          {status.upstreams.map(({ name, speaks, base_url: url, disabled }) => {
            const mine = summaries.filter(({ upstream }) => upstream === name)
            // Also those that another upstream answered in its place.
            const skipped = summaries.filter(({ failed_upstreams: all = '' }) => all.includes(`${name} (`))
            const failed = mine.filter(({ status: code = 0 }) => code >= 400).length + skipped.length
            return (
              <tr key={name}>
                <td>{visible(name)}</td>
                <td>{speaks.join(', ')}</td>
                <td>
                  <code>{visible(url)}</code>
                </td>
                <td>
                  {disabled ??
                    `${plural(mine.length + skipped.length, 'exchange')}${failed === 0 ? '' : `, ${failed} failed`}`}
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

function Servers({ status }: { readonly status: GatewayStatus }): JSX.Element | null {
  const servers = status.about?.mcp_servers ?? []
  if (servers.length === 0) return null
  return (
    <section class="card">
      <h2>MCP servers</h2>
      <ul>
        {servers.map(({ name, tools, problems }) => (
          <li key={name}>
            <b>{visible(name)}</b> {plural(tools, 'tool')}
            {problems.length > 0 && <span class="bad-word"> {visible(problems.join(' '))}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}

const shownModels = 60

function Models(): JSX.Element {
  const models = useModels()
  return (
    <section class="card tools">
      <h2>Models</h2>
      <ul>
        {models.slice(0, shownModels).map(id => (
          <li key={id}>
            <code>{visible(id)}</code>
          </li>
        ))}
      </ul>
      {models.length > shownModels && <p class="quiet">and {count(models.length - shownModels)} more</p>}
    </section>
  )
}
