/** The exchanges, the newest first, by conversation or flat. */
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { TraceSummary } from '../../../toolwire/src/telemetry/trace-document.ts'
import { parseFilter } from '../logic/filter.ts'
import { plural } from '../logic/format.ts'
import { flatRows, groupedRows, type ListRow } from '../logic/grouping.ts'
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
    () => (flat ? flatRows(fitting) : groupedRows(fitting, closed)),
    [fitting, flat, closed],
  )
  const at = rows.findIndex(({ key }) => key === selected)
  return (
    <section class={`list ${isNarrow ? 'narrow' : ''}`} aria-label="Exchanges">
      {!isNarrow && <h1 class="hidden">Exchanges</h1>}
      <ListHead count={fitting.length} of={summaries.length} flat={flat} />
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
          activeId={selected === undefined || at === -1 ? undefined : rowId(selected)}
          onKeyDown={event => onListKey(event, rows, at)}
          row={index => <Row key={rows[index]?.key} row={rows[index]} selected={selected} />}
        />
      )}
    </section>
  )
}

function Row({
  row,
  selected,
}: {
  readonly row: ListRow | undefined
  readonly selected: string | undefined
}): JSX.Element | null {
  if (row === undefined) return null
  if (row.kind === 'group')
    return <GroupRow group={row.group} isOpen={row.isOpen} onToggle={() => toggle(row.group.conversation)} />
  return <ExchangeRow summary={row.summary} place={row.place} isSelected={row.key === selected} />
}

function ListHead({
  count,
  of,
  flat,
}: {
  readonly count: number
  readonly of: number
  readonly flat: boolean
}): JSX.Element {
  const setFlat = (isFlat: boolean): void => setRoute({ ...app.get().route, flat: isFlat }, true)
  return (
    <div class="list-head">
      <span class="count">
        {count === of ? plural(of, 'exchange') : `${count} of ${plural(of, 'exchange')}`}
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
      <span class="c-time2">First · total</span>
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

const moves: { readonly [key: string]: (at: number, last: number) => number } = {
  ArrowDown: at => at + 1,
  j: at => at + 1,
  ArrowUp: at => at - 1,
  k: at => at - 1,
  PageDown: at => at + 10,
  PageUp: at => at - 10,
  Home: () => 0,
  End: (_, last) => last,
}

/** Left folds the conversation of the exchange that is looked at, right unfolds it. */
function fold(isOpen: boolean): void {
  const { route, summaries, closedGroups } = app.get()
  const id = route.place.page === 'exchange' ? route.place.id : undefined
  const conversation = summaries.find(summary => summary.id === id)?.conversation
  if (conversation !== undefined && closedGroups.has(conversation) === isOpen) toggle(conversation)
}

function onListKey(event: KeyboardEvent, rows: readonly ListRow[], at: number): void {
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') fold(event.key === 'ArrowRight')
  const move = Object.hasOwn(moves, event.key) ? moves[event.key] : undefined
  if (move === undefined || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  const last = rows.length - 1
  let next = Math.max(0, Math.min(last, move(at, last)))
  const down = next >= at
  // Heads of conversations are no exchanges.
  while (rows[next]?.kind === 'group' && next > 0 && next < last) next += down ? 1 : -1
  const row = rows[next]
  if (row?.kind === 'exchange') open(row.summary)
  else if (row?.kind === 'group' && rows[next + 1]?.kind === 'exchange' && down) {
    const following = rows[next + 1]
    if (following?.kind === 'exchange') open(following.summary)
  }
}
