/** The gateway as it runs, and how it went in the recent past. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { askedOf, lossesByCode, type Slice, slicesOf } from '../logic/charts.ts'
import { bytes, clockTime, count, duration, percent, plural, short, visible } from '../logic/format.ts'
import { app } from '../state/app.ts'
import { writeRoute } from '../state/route.ts'
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
        <Figure name="Exchanges listed" value={count(summaries.length)} />
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
      <LossesByCode past={past} />
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
      <ChartBars values={values} most={most} label={`${title}: at most ${show(most)}`} />
      <p>
        <span>{first && clockTime(new Date(first.from).toISOString())}</span>
        <span>{last && clockTime(new Date(last.from).toISOString())}</span>
      </p>
    </figure>
  )
}

function ChartBars({
  values,
  most,
  label,
}: {
  readonly values: readonly number[]
  readonly most: number
  readonly label: string
}): JSX.Element {
  return (
    <svg viewBox={`0 0 ${slices * 4} 40`} preserveAspectRatio="none" role="img" aria-label={label}>
      {values.map((value, i) => (
        <rect key={i} x={i * 4} width="3" y={40 - height(value, most)} height={height(value, most)} />
      ))}
    </svg>
  )
}

function height(value: number, most: number): number {
  return most === 0 || value === 0 ? 0 : Math.max(1.5, (38 * value) / most)
}

function LossesByCode({ past }: { readonly past: readonly Slice[] }): JSX.Element | null {
  const codes = lossesByCode(past)
  if (codes.length === 0) return null
  const most = Math.max(...codes.flatMap(({ counts }) => counts))
  return (
    <section class="card">
      <h2>Losses by code</h2>
      <table class="plain-table by-code">
        <thead>
          <tr>
            <th scope="col">Code</th>
            <th scope="col">Over time</th>
            <th scope="col" class="figures">
              Losses
            </th>
          </tr>
        </thead>
        <tbody>
          {codes.map(({ code, counts, total }) => (
            <tr key={code}>
              <th scope="row">
                <a href={writeRoute({ place: { page: 'list' }, filter: `loss:${code}`, flat: false })}>
                  <code>{code}</code>
                </a>
              </th>
              <td class="chart warn">
                <ChartBars
                  values={counts}
                  most={most}
                  label={`${code}: at most ${count(Math.max(...counts))}`}
                />
              </td>
              <td class="figures">{count(total)}</td>
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
            const { asked, failed } = askedOf(name, summaries)
            return (
              <tr key={name}>
                <td>{visible(name)}</td>
                <td>{speaks.join(', ')}</td>
                <td>
                  <code>{visible(url)}</code>
                </td>
                <td>
                  {disabled ?? `${plural(asked, 'exchange')}${failed === 0 ? '' : `, ${failed} failed`}`}
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
