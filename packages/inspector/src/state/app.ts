/** The state of the page, and what changes it. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/trace-document.ts'
import { mergeSummaries } from '../logic/grouping.ts'
import { embedded, fetchJson, isSignedOut, keepLocal, localSummaries } from './api.ts'
import { type Place, type Route, readRoute, writeRoute } from './route.ts'
import { createStore, type Store } from './store.ts'

export interface AppState {
  readonly route: Route
  readonly summaries: readonly TraceSummary[]
  /** `file`: the page is an exported file, with no gateway behind it. */
  readonly link: 'connecting' | 'live' | 'offline' | 'signed-out' | 'file'
  readonly isPaused: boolean
  /** What came while the list was paused. */
  readonly waiting: readonly TraceSummary[]
  readonly closedGroups: ReadonlySet<string>
  readonly version: string
  readonly notice: string | undefined
  /** Which dialog is open. */
  readonly dialog: 'help' | 'export' | 'copy' | undefined
  /** The exchange that another is to be compared with. */
  readonly compareWith: string | undefined
}

/** More than the gateway keeps in its default settings; the oldest are left out. */
const mostSummaries = 20_000
const retryMs = 2000

export const app: Store<AppState> = createStore<AppState>({
  route: readRoute(location.hash),
  summaries: [],
  link: 'connecting',
  isPaused: false,
  waiting: [],
  closedGroups: new Set(),
  version: '',
  notice: undefined,
  dialog: undefined,
  compareWith: undefined,
})

export function go(place: Place): void {
  setRoute({ ...app.get().route, place })
}

/** Typing in a field must not fill the history of the browser. */
export function setRoute(route: Route, replace = false): void {
  const hash = writeRoute(route)
  if (hash === location.hash) return
  if (replace) {
    history.replaceState(null, '', hash)
    app.set({ route })
  } else location.hash = hash
}

export function hrefOf(place: Place): string {
  return writeRoute({ ...app.get().route, place })
}

export function tell(notice: string): void {
  app.set({ notice })
  setTimeout(() => {
    if (app.get().notice === notice) app.set({ notice: undefined })
  }, 4000)
}

function add(news: readonly TraceSummary[]): void {
  const { summaries, isPaused, waiting } = app.get()
  if (isPaused) app.set({ waiting: mergeSummaries(waiting, news, mostSummaries) })
  else app.set({ summaries: mergeSummaries(summaries, news, mostSummaries) })
}

export function setPaused(isPaused: boolean): void {
  const { waiting } = app.get()
  app.set({ isPaused, waiting: [] })
  if (!isPaused) add(waiting)
}

/** Documents that somebody imported, beside those of the gateway. */
export function importDocuments(documents: Parameters<typeof keepLocal>[0]): void {
  keepLocal(documents)
  add(localSummaries())
}

async function loadList(): Promise<void> {
  const list = await fetchJson<{ data: readonly TraceSummary[] }>(`/toolwire/traces?limit=${mostSummaries}`)
  app.set({ summaries: mergeSummaries(list.data, localSummaries(), mostSummaries) })
}

let feed: EventSource | undefined

/** Loads the list and listens for what is new, again and again for as long as the page is open. */
export async function connect(): Promise<void> {
  feed?.close()
  if (embedded !== undefined) {
    keepLocal(embedded)
    app.set({ link: 'file', summaries: localSummaries() })
    return
  }
  try {
    await loadList()
  } catch (error) {
    if (isSignedOut(error)) app.set({ link: 'signed-out' })
    else {
      app.set({ link: 'offline', ...(error instanceof Error && { notice: error.message }) })
      setTimeout(() => void connect(), retryMs)
    }
    return
  }
  listen()
}

function listen(): void {
  const source = new EventSource('/toolwire/feed')
  feed = source
  let isFirst = true
  source.addEventListener('hello', event => {
    const { version = '' } = JSON.parse(event.data) as { version?: string }
    app.set({ link: 'live', version, notice: undefined })
    // What happened between the list and the feed, or while there was no connection.
    if (!isFirst) void loadList().catch(() => {})
    isFirst = false
  })
  source.addEventListener('exchanges', event => add(JSON.parse(event.data) as TraceSummary[]))
  source.addEventListener('error', () => {
    if (app.get().link === 'live') app.set({ link: 'offline' })
    if (source.readyState !== EventSource.CLOSED) return
    source.close()
    setTimeout(() => void connect(), retryMs)
  })
}

addEventListener('hashchange', () => app.set({ route: readRoute(location.hash) }))
