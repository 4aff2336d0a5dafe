/** The frame: the bar on top, the list, and beside it whatever is looked at. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { visible } from '../logic/format.ts'
import { app, go } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { Compare } from './compare.tsx'
import { Detail } from './detail.tsx'
import { Dialogs } from './dialogs.tsx'
import { Health } from './health.tsx'
import { List } from './list.tsx'
import { Playground } from './playground.tsx'
import { SignIn } from './sign-in.tsx'
import { TopBar } from './top-bar.tsx'

export function App(): JSX.Element {
  const place = useStore(app, ({ route }) => route.place)
  const link = useStore(app, state => state.link)
  const notice = useStore(app, state => state.notice)
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  if (link === 'signed-out') return <SignIn />
  const hasList = place.page === 'list' || place.page === 'exchange'
  return (
    <div class={`frame page-${place.page}`}>
      <TopBar />
      <main class="stage">
        {hasList && <List isNarrow={place.page === 'exchange'} />}
        {place.page === 'exchange' && <Detail key={place.id} id={place.id} tab={place.tab} />}
        {place.page === 'compare' && <Compare key={`${place.a} ${place.b}`} a={place.a} b={place.b} />}
        {place.page === 'playground' && <Playground key={place.from ?? ''} from={place.from} />}
        {place.page === 'health' && <Health />}
      </main>
      <Dialogs />
      <div class="notice" role="status" aria-live="polite">
        {notice !== undefined && <p>{visible(notice)}</p>}
      </div>
    </div>
  )
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  )
}

/** From what one reads of an exchange back to the list beside it, where there is one. */
function leaveView(target: EventTarget | null): boolean {
  const list = document.getElementById('list')
  if (!(target instanceof Element) || target.closest('.detail .view') === null) return false
  if (list === null || list.getClientRects().length === 0) return false
  list.focus()
  return true
}

/** Keys for the whole page; the list and the tree have their own. */
function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return
  const { dialog, route } = app.get()
  if (event.key === 'Escape') {
    if (dialog !== undefined) app.set({ dialog: undefined })
    else if (isTyping(event.target)) (event.target as HTMLElement).blur()
    else if (!leaveView(event.target) && route.place.page !== 'list') go({ page: 'list' })
    return
  }
  if (isTyping(event.target) || dialog !== undefined) return
  if (event.key === '/') {
    event.preventDefault()
    document.getElementById('filter')?.focus()
  } else if (event.key === '?') app.set({ dialog: 'help' })
}
