/** Which part eats the window, what is new since the turn before, and where the cached prefix broke. */
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import {
  costsOf,
  isRequestCut,
  type PartCost,
  type PrefixBreak,
  prefixBreak,
  type Share,
  scaledParts,
  sharesOf,
} from '../logic/context.ts'
import { count, dollars, pathText, percent, plural, visible } from '../logic/format.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { hrefOf } from '../state/app.ts'
import { usePrevious } from '../state/use-exchange.ts'
import { Figure } from './timeline.tsx'

const groupNames: { readonly [group in Share['group']]: string } = {
  instructions: 'Instructions',
  tools: 'Tools',
  messages: 'Messages',
  overhead: 'Overhead',
}
const groups = ['instructions', 'tools', 'messages', 'overhead'] as const
const shownParts = 100

export function ContextView({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { trace, reading } = document
  const [bySize, setBySize] = useState(true)
  const previous = usePrevious(trace.summary)
  const { context } = reading
  const isCut = context !== undefined && isRequestCut(trace, context.side)
  const shares = useMemo(
    () => (context === undefined ? [] : sharesOf(scaledParts(context, trace.summary.input_tokens, isCut))),
    [document],
  )
  if (context === undefined)
    return (
      <p class="view empty">
        The request cannot be read, so nothing can be counted; Raw has what was kept of it.
      </p>
    )
  // Rounded parts seldom add up to exactly what was reported.
  const total = trace.summary.input_tokens || shares.reduce((sum, { tokens }) => sum + tokens, 0)
  const known =
    previous === undefined
      ? undefined
      : new Set(previous.reading.context?.parts.map(({ path }) => pathText(path)))
  const ordered = bySize ? [...shares].sort((a, b) => b.tokens - a.tokens) : shares
  const cost = trace.summary.input_cost_usd
  const costs = costsOf(shares, trace.summary)
  return (
    <div class="view context" tabIndex={-1}>
      <dl class="figures-row">
        <Figure name="Input" value={`${count(total)} tokens`} />
        <Figure
          name="Window"
          value={
            context.window === undefined
              ? 'not known'
              : `${count(context.window)} (${percent(total, context.window)} used)`
          }
        />
        <Figure
          name="Cached"
          value={
            trace.summary.cache_read_tokens === undefined
              ? ''
              : percent(trace.summary.cache_read_tokens, total)
          }
        />
        <Figure name="Input cost" value={dollars(cost)} />
      </dl>
      <Stack shares={shares} total={total} window={context.window} />
      {previous !== undefined && <Since previous={previous} document={document} />}
      <div class="raw-bar">
        <h2>Parts</h2>
        <fieldset class="switch">
          <legend class="hidden">Order</legend>
          <button type="button" aria-pressed={bySize} onClick={() => setBySize(true)}>
            Largest first
          </button>
          <button type="button" aria-pressed={!bySize} onClick={() => setBySize(false)}>
            As sent
          </button>
        </fieldset>
        <span class="quiet">{methodText(trace.summary.input_tokens, context.method, isCut)}</span>
      </div>
      <Parts shares={ordered.slice(0, shownParts)} total={total} costs={costs} known={known} />
      {ordered.length > shownParts && (
        <p class="quiet">and {plural(ordered.length - shownParts, 'smaller part')}</p>
      )}
    </div>
  )
}

function methodText(reported: number | undefined, method: string, isCut: boolean): string {
  if (isCut) return 'counted here, as far as the request was kept'
  return reported === undefined
    ? `counted here: ${method}`
    : 'shares counted here, scaled to what the provider reported'
}

function Stack({
  shares,
  total,
  window,
}: {
  readonly shares: readonly Share[]
  readonly total: number
  readonly window: number | undefined
}): JSX.Element {
  const all = Math.max(total, 1)
  const sums = groups.map(
    group =>
      [
        group,
        shares.filter(share => share.group === group).reduce((sum, { tokens }) => sum + tokens, 0),
      ] as const,
  )
  return (
    <figure class="stack">
      <div
        class="stack-bar"
        role="img"
        aria-label={sums.map(([group, tokens]) => `${groupNames[group]} ${percent(tokens, all)}`).join(', ')}
      >
        {sums.map(([group, tokens]) => (
          <i key={group} class={group} style={{ width: `${(100 * tokens) / all}%` }} />
        ))}
      </div>
      {window !== undefined && (
        <div class="window-bar" role="img" aria-label={`${percent(total, window)} of the window`}>
          <i style={{ width: `${Math.min(100, (100 * total) / window)}%` }} />
        </div>
      )}
      <figcaption>
        {sums
          .filter(([, tokens]) => tokens > 0)
          .map(([group, tokens]) => (
            <span key={group}>
              <i class={group} /> {groupNames[group]} <b>{count(tokens)}</b> {percent(tokens, total)}
            </span>
          ))}
      </figcaption>
    </figure>
  )
}

const whyWords = {
  changed: 'was changed',
  inserted: 'was inserted',
  removed: 'was removed',
  moved: 'was moved',
}

function Since({
  previous,
  document,
}: {
  readonly previous: ExchangeDocument
  readonly document: ExchangeDocument
}): JSX.Element | null {
  const found = useMemo(() => compare(previous, document), [previous, document])
  if (found === undefined) return null
  const { at, keptTokens, totalTokens, settings } = found
  const fresh = totalTokens - keptTokens
  return (
    <section class={`since ${at === undefined ? 'kept' : 'broken'}`}>
      <h2>
        Since{' '}
        <a href={hrefOf({ page: 'exchange', id: previous.trace.summary.id, tab: 'context' })}>
          the request before
        </a>
      </h2>
      {at === undefined ? (
        <p>
          The whole request before is the beginning of this one, so a provider can have{' '}
          {percent(keptTokens, totalTokens)} of it cached; about {count(fresh)} tokens are new.
        </p>
      ) : (
        <>
          <p>
            The common beginning ends after about {count(keptTokens)} tokens (
            {percent(keptTokens, totalTokens)}): <b>{visible(at.label)}</b> {whyWords[at.why]} at{' '}
            <code>{visible(pathText(at.path))}</code>. Everything behind it has to be read anew.
          </p>
          <div class="before-after">
            <del>{visible(at.before)}</del>
            <ins>{visible(at.after)}</ins>
          </div>
        </>
      )}
      {settings.length > 0 && (
        <p>Also another {settings.join(' and another ')}: most providers then start anew.</p>
      )}
    </section>
  )
}

function compare(previous: ExchangeDocument, document: ExchangeDocument): PrefixBreak | undefined {
  const [before, after] = [previous, document].map(({ trace, reading }) => {
    const { context, request } = reading
    // Where one of them was cut, they differ.
    if (context === undefined || isRequestCut(trace, context.side)) return undefined
    const body = context.body ?? request[context.side]
    return { parts: scaledParts(context, trace.summary.input_tokens), body }
  })
  return before === undefined || after === undefined ? undefined : prefixBreak(before, after)
}

interface PartsProps {
  readonly shares: readonly Share[]
  readonly total: number
  readonly costs: ReadonlyMap<Share, PartCost> | undefined
  readonly known: ReadonlySet<string> | undefined
}

function Parts({ shares, total, costs, known }: PartsProps): JSX.Element {
  const largest = Math.max(1, ...shares.map(({ tokens }) => tokens))
  return (
    <table class="plain-table parts">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Path</th>
          <th scope="col" class="figures">
            Tokens
          </th>
          <th scope="col">Share</th>
          {costs !== undefined && (
            <th scope="col" class="figures">
              Cost
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {shares.map((share, i) => {
          const { part, tokens, group } = share
          return (
            <tr key={i}>
              <td>
                <i class={`swatch ${group}`} /> {visible(part.label)}
                {known !== undefined && part.path.length > 0 && !known.has(pathText(part.path)) && (
                  <span class="new-word">new</span>
                )}
              </td>
              <td>
                <code>{visible(pathText(part.path))}</code>
              </td>
              <td class="figures">{count(tokens)}</td>
              <td class="share">
                <div>
                  <span class="figures">{percent(tokens, total)}</span>
                  <i class={group} style={{ width: `${(100 * tokens) / largest}%` }} />
                </div>
              </td>
              {costs !== undefined && <CostCell tokens={tokens} cost={costs.get(share)} />}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function CostCell({
  tokens,
  cost,
}: {
  readonly tokens: number
  readonly cost: PartCost | undefined
}): JSX.Element {
  const { usd, cached = 0 } = cost ?? {}
  return (
    <td class="figures">
      {dollars(usd)}
      {cached > 0 && <small> {cached < tokens ? 'cached in part' : 'cached'}</small>}
    </td>
  )
}
