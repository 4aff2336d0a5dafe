/** Two exchanges side by side. */
import type { JSX } from 'preact'
import { blocksOf } from '../logic/cards.ts'
import { firstDifference } from '../logic/context.ts'
import { count, dollars, duration, pathText, visible } from '../logic/format.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { hrefOf } from '../state/app.ts'
import { useExchange } from '../state/use-exchange.ts'
import { BlockView } from './conversation.tsx'

export function Compare({ a, b }: { readonly a: string; readonly b: string }): JSX.Element {
  const [left, right] = [useExchange(a).document, useExchange(b).document]
  if (left === undefined || right === undefined) return <p class="empty">Loading…</p>
  const difference = firstDifference(left.reading.request.client, right.reading.request.client)
  return (
    <div class="view compare">
      <h1>Two exchanges</h1>
      <table class="plain-table">
        <thead>
          <tr>
            <th scope="col">Fact</th>
            {[left, right].map(({ trace: { summary } }) => (
              <th key={summary.id} scope="col">
                <a href={hrefOf({ page: 'exchange', id: summary.id, tab: 'conversation' })}>
                  {summary.id.slice(0, 12)}
                </a>
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
      <p class="quiet">
        {difference.length === 0
          ? 'Both were sent the same request.'
          : `The requests differ first at ${pathText(difference)}.`}
      </p>
      <div class="compare-sides">
        {[left, right].map((document, side) => (
          <section key={side} class="conversation" aria-label={side === 0 ? 'First answer' : 'Second answer'}>
            {blocksOf(document.reading.conversation.answer, document.trace.tool_runs).map((block, i) => (
              <BlockView key={i} block={block} />
            ))}
          </section>
        ))}
      </div>
    </div>
  )
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
