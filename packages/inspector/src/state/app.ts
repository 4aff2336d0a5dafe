/** The state of the page, and what changes it. */
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { joinChains } from '../logic/chains.ts'
import { embedded, fetchJson, isSignedOut, keepLocal, localSummaries } from './api.ts'
import { createLiveList } from './live-list.ts'
import { type Place, type Route, readRoute, writeRoute } from './route.ts'
import { closeSession, takeCode } from './session.ts'
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
  /** With a key, which whoever leaves the machine may want to take back. */
  readonly isSignedIn: boolean
  readonly notice: string | undefined
  /** What was wrong with the link that was to sign in. */
  readonly linkProblem: string | undefined
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
  isSignedIn: false,
  notice: undefined,
  linkProblem: undefined,
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

const live = createLiveList({
  most: mostSummaries,
  load: async () =>
    (await fetchJson<{ data: readonly TraceSummary[] }>(`/toolwire/traces?limit=${mostSummaries}`)).data,
  show: (summaries, waiting) => app.set({ summaries: joinChains(summaries), waiting }),
})

export function setPaused(isPaused: boolean): void {
  app.set({ isPaused })
  live.setPaused(isPaused)
}

/** Documents that somebody imported, beside those of the gateway. */
export function importDocuments(documents: Parameters<typeof keepLocal>[0]): void {
  keepLocal(documents)
  live.keep(localSummaries())
}

let feed: EventSource | undefined

interface Hello {
  readonly version?: string
  readonly signed_in?: boolean
}

/** Nothing of what was seen stays in the page. */
export async function signOut(): Promise<void> {
  try {
    await closeSession()
    location.replace(location.pathname)
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
  }
}

/** Listens for what is new, and then loads the list, again and again for as long as the page is open. */
export async function connect(): Promise<void> {
  if (embedded !== undefined) {
    keepLocal(embedded)
    app.set({ link: 'file', summaries: joinChains(localSummaries()) })
    return
  }
  app.set({ linkProblem: await takeCode() })
  const source = new EventSource('/toolwire/feed')
  feed?.close()
  feed = source
  source.addEventListener('hello', event => {
    const { version = '', signed_in: isSignedIn = false } = JSON.parse(event.data) as Hello
    app.set({ link: 'live', version, isSignedIn, notice: undefined })
    void reload(source)
  })
  source.addEventListener('exchanges', event => live.add(JSON.parse(event.data) as TraceSummary[]))
  source.addEventListener('error', () => {
    if (app.get().link === 'live') app.set({ link: 'offline' })
    // A feed does not say why it was refused; the list does.
    if (source.readyState === EventSource.CLOSED) void reload(source)
  })
}

async function reload(source: EventSource): Promise<void> {
  const problem: unknown = await live.reload().then(
    () => undefined,
    error => error ?? 'unknown',
  )
  if (source !== feed || (problem === undefined && source.readyState !== EventSource.CLOSED)) return
  source.close()
  if (isSignedOut(problem)) app.set({ link: 'signed-out' })
  else {
    app.set({ link: 'offline', ...(problem instanceof Error && { notice: problem.message }) })
    setTimeout(() => void connect(), retryMs)
  }
}

addEventListener('hashchange', () => {
  const isLink = location.hash.startsWith('#code=')
  app.set({ route: readRoute(location.hash) })
  if (isLink) void connect()
})
