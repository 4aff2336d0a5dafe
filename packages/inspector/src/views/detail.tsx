/** One exchange: its facts, and the views of it. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { clockTime, count, dollars, duration, plural, visible } from '../logic/format.ts'
import { titleOf } from '../logic/grouping.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { app, go, hrefOf } from '../state/app.ts'
import { type Tab, tabs } from '../state/route.ts'
import { useExchange } from '../state/use-exchange.ts'
import { ActionNotes, Actions, ImportedMark } from './actions.tsx'
import { ContextView } from './context.tsx'
import { ConversationView } from './conversation.tsx'
import { Icon } from './icon.tsx'
import { RawView } from './raw.tsx'
import { Status } from './row.tsx'
import { TimelineView } from './timeline.tsx'
import { WiresView } from './wires.tsx'

const tabNames: { readonly [tab in Tab]: string } = {
  conversation: 'Conversation',
  wires: 'Two wires',
  raw: 'Raw',
  timeline: 'Timeline',
  context: 'Context',
}

export function Detail({ id, tab }: { readonly id: string; readonly tab: Tab }): JSX.Element {
  const { document: found, problem } = useExchange(id)
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const chosen = tabs[Number(event.key) - 1]
      const isTyping =
        event.target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)
      if (chosen !== undefined && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
        go({ page: 'exchange', id, tab: chosen })
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [id])
  return (
    <article class="detail" aria-label="Exchange">
      {found === undefined ? (
        <div class="empty" role="status">
          {problem === undefined ? (
            <p>Loading…</p>
          ) : (
            <>
              <h1>This exchange cannot be shown</h1>
              <p>{problem}</p>
              <a href={hrefOf({ page: 'list' })}>All exchanges</a>
            </>
          )}
        </div>
      ) : (
        <>
          <Head document={found} />
          <nav class="tabs" aria-label="Views">
            {tabs.map((name, i) => (
              <a
                key={name}
                href={hrefOf({ page: 'exchange', id, tab: name })}
                aria-current={name === tab ? 'page' : undefined}
              >
                {tabNames[name]} <kbd aria-hidden="true">{i + 1}</kbd>
              </a>
            ))}
          </nav>
          <View tab={tab} document={found} />
        </>
      )}
    </article>
  )
}

function View({ tab, document }: { readonly tab: Tab; readonly document: ExchangeDocument }): JSX.Element {
  switch (tab) {
    case 'wires':
      return <WiresView document={document} />
    case 'raw':
      return <RawView document={document} />
    case 'timeline':
      return <TimelineView document={document} />
    case 'context':
      return <ContextView document={document} />
    default:
      return <ConversationView document={document} />
  }
}

function Head({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { trace } = document
  const { summary, failure } = trace
  const { model, upstream_model: used, wire, upstream_wire: upstreamWire } = summary
  return (
    <header class="detail-head">
      <div class="detail-title">
        <a class="icon-button" href={hrefOf({ page: 'list' })} aria-label="Back to the list">
          <Icon name="back" />
        </a>
        <h1>{visible(summary.prompt || titleOf(summary, app.get().summaries))}</h1>
        <Status summary={summary} />
        <ImportedMark id={summary.id} />
        <Actions document={document} />
      </div>
      <dl class="facts">
        <Fact name="Client" value={summary.client} />
        <Fact name="Model" value={model === used || used === undefined ? model : `${model} → ${used}`} />
        <Fact name="Upstream" value={summary.upstream} />
        <Fact name="Wires" value={wire === upstreamWire ? wire : `${wire} → ${upstreamWire}`} />
        <Fact name="At" value={clockTime(summary.time)} />
        <Fact name="First byte" value={duration(summary.first_byte_ms)} />
        <Fact name="Total" value={duration(summary.total_ms)} />
        <Fact name="Tokens" value={tokensText(summary)} />
        <Fact name="Cost" value={dollars(summary.cost_usd)} />
        <Fact name="Losses" value={summary.losses === 0 ? '' : plural(summary.losses, 'loss')} />
        <Fact name="Retries" value={summary.retries === 0 ? '' : String(summary.retries)} />
        <Fact name="Lane" value={summary.lane} />
        <Fact name="Id" value={summary.id} />
      </dl>
      <ActionNotes document={document} />
      {failure !== undefined && (
        <p class="failure" role="alert">
          <code>{failure.code}</code> {visible(failure.message)}
        </p>
      )}
    </header>
  )
}

function tokensText({
  input_tokens: input,
  output_tokens: output,
  cache_read_tokens: cached = 0,
}: ExchangeDocument['trace']['summary']): string {
  if (input === undefined) return ''
  return `${count(input)} in${cached > 0 ? ` (${count(cached)} cached)` : ''}, ${count(output)} out`
}

function Fact({
  name,
  value,
}: {
  readonly name: string
  readonly value: string | undefined
}): JSX.Element | null {
  if (value === undefined || value === '' || value.includes('undefined')) return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{visible(value)}</dd>
    </div>
  )
}
