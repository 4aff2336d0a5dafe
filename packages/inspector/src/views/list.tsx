/** The exchanges, the newest first, by conversation or flat. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { parseFilter } from '../logic/filter.ts'
import { plural } from '../logic/format.ts'
import { flatRows, groupedRows, groupKey, type ListRow } from '../logic/grouping.ts'
import { rowAfterKey } from '../logic/list-keys.ts'
import { app, go, setRoute } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { ImportButton } from './import-button.tsx'
import { ExchangeRow, GroupRow, rowId } from './row.tsx'
import { Virtual } from './virtual.tsx'

const rowHeight = 52

export function List({ isNarrow }: { readonly isNarrow: boolean }): JSX.Element {
  const summaries = useStore(app, state => state.summaries)
  const closed = useStore(app, state => state.closedGroups)
  const filter = useStore(app, ({ route }) => route.filter)
  const flat = useStore(app, ({ route }) => route.flat)
  const selected = useStore(app, ({ route }) =>
    route.place.page === 'exchange' ? route.place.id : undefined,
  )
  const fitting = useMemo(() => {
    const { matches, isEmpty } = parseFilter(filter)
    return isEmpty ? summaries : summaries.filter(matches)
  }, [summaries, filter])
  const rows = useMemo(
    () => (flat ? flatRows(fitting) : groupedRows(fitting, closed, summaries)),
    [fitting, flat, closed],
  )
  const [head, setHead] = useState<string>()
  // Whatever leads to an exchange, leads away from the head of a conversation.
  useEffect(() => setHead(undefined), [selected])
  const headAt = head === undefined ? -1 : rows.findIndex(({ key }) => key === head)
  const at = headAt === -1 ? rows.findIndex(({ key }) => key === selected) : headAt
  // The same element again is not compared with what is in the page: most rows stay when the list scrolls.
  const drawn = useMemo(() => new Map<number, JSX.Element>(), [rows, selected, head])
  const draw = (index: number): JSX.Element => {
    const element = drawn.get(index) ?? (
      <Row key={rows[index]?.key} row={rows[index]} selected={selected} head={head} />
    )
    drawn.set(index, element)
    return element
  }
  return (
    <section class={`list ${isNarrow ? 'narrow' : ''}`} aria-label="Exchanges">
      {!isNarrow && <h1 class="hidden">Exchanges</h1>}
      <ListHead count={fitting.length} of={summaries.length} flat={flat} isNarrow={isNarrow} />
      {!isNarrow && rows.length > 0 && <ColumnNames />}
      {rows.length === 0 ? (
        <Empty hasFilter={summaries.length > 0} />
      ) : (
        <Virtual
          id="list"
          role="listbox"
          label="Exchanges"
          count={rows.length}
          rowHeight={rowHeight}
          shown={at}
          activeId={rows[at] === undefined ? undefined : rowId(rows[at].key)}
          onKeyDown={event => onListKey(event, { rows, at, setHead })}
          row={draw}
        />
      )}
    </section>
  )
}

function Row({
  row,
  selected,
  head,
}: {
  readonly row: ListRow | undefined
  readonly selected: string | undefined
  readonly head: string | undefined
}): JSX.Element | null {
  if (row === undefined) return null
  if (row.kind === 'group')
    return (
      <GroupRow
        group={row.group}
        isOpen={row.isOpen}
        isActive={row.key === head}
        onToggle={() => toggle(row.group.conversation)}
      />
    )
  return <ExchangeRow summary={row.summary} place={row.place} isSelected={row.key === selected} />
}

function ListHead({
  count,
  of,
  flat,
  isNarrow,
}: {
  readonly count: number
  readonly of: number
  readonly flat: boolean
  readonly isNarrow: boolean
}): JSX.Element {
  const setFlat = (isFlat: boolean): void => setRoute({ ...app.get().route, flat: isFlat }, true)
  return (
    <div class="list-head">
      <span class="count">
        {count === of ? plural(of, 'exchange') : `${count} of ${isNarrow ? of : plural(of, 'exchange')}`}
      </span>
      <ImportButton />
      <fieldset class="switch">
        <legend class="hidden">Order</legend>
        <button type="button" aria-pressed={!flat} onClick={() => setFlat(false)}>
          Conversations
        </button>
        <button type="button" aria-pressed={flat} onClick={() => setFlat(true)}>
          Flat
        </button>
      </fieldset>
    </div>
  )
}

function ColumnNames(): JSX.Element {
  return (
    <div class="row column-names" aria-hidden="true">
      <span class="c-time">Time</span>
      <span class="c-what">Asked</span>
      <span class="c-model">Model</span>
      <span class="c-wire">Wires</span>
      <span class="c-status">Status</span>
      <span class="c-time2">Total · first</span>
      <span class="c-tokens">Tokens in · out</span>
      <span class="c-cost">Cost</span>
      <span class="c-marks">Calls · losses</span>
    </div>
  )
}

function Empty({ hasFilter }: { readonly hasFilter: boolean }): JSX.Element {
  const link = useStore(app, state => state.link)
  if (hasFilter) return <p class="empty">Nothing fits the filter.</p>
  if (link === 'connecting') return <p class="empty">Loading…</p>
  const curl = `curl ${location.origin}/v1/chat/completions \\\n  -H 'content-type: application/json' \\\n  -d '{"model":"demo","messages":[{"role":"user","content":"Hello"}]}'`
  return (
    <div class="empty">
      <p>
        <strong>Nothing has been asked yet.</strong>
      </p>
      <p>Point a client at this gateway, or paste this into a terminal. It appears here while it runs.</p>
      <pre>{curl}</pre>
    </div>
  )
}

function toggle(conversation: string): void {
  const closed = new Set(app.get().closedGroups)
  if (!closed.delete(conversation)) closed.add(conversation)
  app.set({ closedGroups: closed })
}

export function open(summary: TraceSummary): void {
  const { place } = app.get().route
  go({ page: 'exchange', id: summary.id, tab: place.page === 'exchange' ? place.tab : 'conversation' })
}

interface ListKeys {
  readonly rows: readonly ListRow[]
  readonly at: number
  /** The head of a conversation that the keys have led to. */
  setHead(key: string | undefined): void
}

/** So that the keys that scroll go where one reads. */
function enterView(): void {
  const view = document.querySelector<HTMLElement>('.detail .view')
  const lines = view?.querySelector<HTMLElement>(':scope.raw .virtual')
  ;(lines ?? view)?.focus()
}

function onListKey(event: KeyboardEvent, { rows, at, setHead }: ListKeys): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const here = rows[at]
  const next = rowAfterKey(rows, at, event.key)
  const wanted = { ArrowLeft: false, ArrowRight: true }[event.key]
  const isToggle = here?.kind === 'group' && (event.key === 'Enter' || event.key === ' ')
  if (here?.kind === 'exchange' && event.key === 'Enter') {
    event.preventDefault()
    enterView()
    return
  }
  if (next === undefined && wanted === undefined && !isToggle) return
  event.preventDefault()
  const row = next === undefined ? undefined : rows[next]
  if (row?.kind === 'group') setHead(row.key)
  else if (row?.kind === 'exchange') {
    setHead(undefined)
    open(row.summary)
  } else if (here?.kind === 'group' && (isToggle || here.isOpen !== wanted)) toggle(here.group.conversation)
  else if (here?.kind === 'exchange' && here.place !== undefined && wanted === false) {
    const { conversation = '' } = here.summary
    toggle(conversation)
    setHead(groupKey(conversation))
  }
}
