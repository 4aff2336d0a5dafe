/** Two exchanges side by side. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import { blocksOf } from '../logic/cards.ts'
import { around } from '../logic/context.ts'
import { type Difference, differencesOf } from '../logic/differences.ts'
import { count, dollars, duration, pathText, visible } from '../logic/format.ts'
import { peek } from '../logic/json-tree.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { hrefOf } from '../state/app.ts'
import { useExchange } from '../state/use-exchange.ts'
import { BlockView } from './conversation.tsx'

export function Compare({ a, b }: { readonly a: string; readonly b: string }): JSX.Element {
  const loaded = [useExchange(a), useExchange(b)] as const
  const [left, right] = [loaded[0].document, loaded[1].document]
  if (left === undefined || right === undefined) {
    const problem = loaded.find(each => each.document === undefined && each.problem !== undefined)?.problem
    return problem === undefined ? <p class="empty">Loading…</p> : <Missing problem={problem} />
  }
  const sides = [left, right]
  return (
    <div class="view compare" tabIndex={0}>
      <h1>Two exchanges</h1>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            {sides.map(({ trace: { summary } }, side) => (
              <th key={side} scope="col">
                <a href={hrefOf({ page: 'exchange', id: summary.id, tab: 'conversation' })}>
                  {visible((summary.prompt ?? summary.route).slice(0, 120))}
                </a>{' '}
                <code>{summary.id.slice(0, 12)}</code>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.map(([name, read]) => {
            const [mine, other] = [read(left), read(right)]
            return (
              <tr key={name} class={mine === other ? '' : 'differs'}>
                <th scope="row">{name}</th>
                <td>{visible(mine)}</td>
                <td>{visible(other)}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
      <h2>Requests</h2>
      <Requests left={left} right={right} />
      <h2>Answers</h2>
      <div class="compare-sides">
        {sides.map((document, side) => (
          <section key={side} class="conversation" aria-label={side === 0 ? 'First answer' : 'Second answer'}>
            {blocksOf(document.reading.conversation.answer, document.trace.tool_runs).map((block, i) => (
              <BlockView key={i} block={block} />
            ))}
            {document.reading.conversation.answer.length === 0 && <p class="quiet">No answer was kept.</p>}
          </section>
        ))}
      </div>
    </div>
  )
}

function Missing({ problem }: { readonly problem: string }): JSX.Element {
  return (
    <div class="empty" role="status">
      <h1>One of the two is not here</h1>
      <p>{visible(problem)}</p>
      <a href={hrefOf({ page: 'list' })}>All exchanges</a>
    </div>
  )
}

const shownDifferences = 40

/** What the clients sent; on two wires nearly everything differs, and says nothing. */
function Requests({
  left,
  right,
}: {
  readonly left: ExchangeDocument
  readonly right: ExchangeDocument
}): JSX.Element {
  const [a, b] = [left.reading.request.client, right.reading.request.client]
  const found = useMemo(() => differencesOf(a, b, shownDifferences), [a, b])
  if (left.trace.summary.wire !== right.trace.summary.wire)
    return <p class="quiet">They were sent on two wires, so their bodies cannot be compared line by line.</p>
  if (found.length === 0) return <p class="quiet">Both were sent the same request.</p>
  return (
    <>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Path</th>
            <th scope="col">First</th>
            <th scope="col">Second</th>
          </tr>
        </thead>
        <tbody>
          {found.map(difference => (
            <tr key={pathText(difference.path)}>
              <th scope="row">
                <code>{visible(pathText(difference.path))}</code>
              </th>
              {shownSides(difference).map((text, side) => (
                <td key={side}>
                  {text === undefined ? <span class="quiet">none</span> : <code>{visible(text)}</code>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {found.length === shownDifferences && (
        <p class="quiet">These are the first {shownDifferences} differences.</p>
      )}
    </>
  )
}

/** Of two texts the place where they differ, which may be far from their beginnings. */
function shownSides({ left, right }: Difference): (string | undefined)[] {
  if (typeof left === 'string' && typeof right === 'string') {
    const { before, after } = around(left, right)
    return [before, after]
  }
  return [left, right].map(value => (value === undefined ? undefined : peek(value)))
}

const facts: readonly (readonly [string, (document: ExchangeDocument) => string])[] = [
  ['Model', ({ trace: { summary } }) => summary.upstream_model ?? summary.model ?? ''],
  ['Upstream', ({ trace: { summary } }) => summary.upstream ?? ''],
  ['Wires', ({ trace: { summary } }) => `${summary.wire ?? '?'} → ${summary.upstream_wire ?? '?'}`],
  ['Streamed', ({ trace: { summary } }) => (summary.streamed === true ? 'yes' : 'no')],
  ['Status', ({ trace: { summary } }) => String(summary.status ?? '')],
  ['Finish', ({ trace: { summary } }) => summary.finish ?? ''],
  ['First byte', ({ trace: { summary } }) => duration(summary.first_byte_ms)],
  ['Total', ({ trace: { summary } }) => duration(summary.total_ms)],
  ['Tokens in', ({ trace: { summary } }) => count(summary.input_tokens)],
  ['Tokens out', ({ trace: { summary } }) => count(summary.output_tokens)],
  ['Cost', ({ trace: { summary } }) => dollars(summary.cost_usd)],
  ['Losses', ({ trace: { summary } }) => String(summary.losses)],
]
