import type { JSX } from 'preact'
import { plural } from '../logic/format.ts'
import { app, hrefOf, setPaused, signOut } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { FilterBar } from './filter-bar.tsx'
import { Icon } from './icon.tsx'

const linkWords = {
  connecting: 'connecting',
  live: 'live',
  offline: 'not connected',
  'signed-out': 'signed out',
  file: 'exported file',
}

export function TopBar(): JSX.Element {
  const page = useStore(app, ({ route }) => route.place.page)
  const isSignedIn = useStore(app, state => state.isSignedIn)
  const isFile = useStore(app, ({ link }) => link === 'file')
  const isList = page === 'list' || page === 'exchange'
  return (
    <header class="top-bar">
      <a class="brand" aria-label="toolwire inspector" href={hrefOf({ page: 'list' })}>
        <Icon name="brand" />
        <span>
          toolwire <span class="brand-more">inspector</span>
        </span>
      </a>
      <nav aria-label="Pages">
        <NavLink place="list" isHere={isList}>
          Exchanges
        </NavLink>
        {!isFile && (
          <>
            <NavLink place="playground" isHere={page === 'playground'}>
              Playground
            </NavLink>
            <NavLink place="health" isHere={page === 'health'}>
              Health
            </NavLink>
          </>
        )}
      </nav>
      {isList ? <FilterBar /> : <span class="space" />}
      <LinkState />
      <button
        type="button"
        class="icon-button"
        aria-label="Keyboard and filter help"
        title="Keys and filters"
        onClick={() => app.set({ dialog: 'help' })}
      >
        <Icon name="help" />
      </button>
      {isSignedIn && (
        <button
          type="button"
          class="icon-button"
          aria-label="Sign out"
          title="Sign out"
          onClick={() => void signOut()}
        >
          <Icon name="leave" />
        </button>
      )}
    </header>
  )
}

function NavLink(props: {
  place: 'list' | 'playground' | 'health'
  isHere: boolean
  children: string
}): JSX.Element {
  return (
    <a href={hrefOf({ page: props.place })} aria-current={props.isHere ? 'page' : undefined}>
      {props.children}
    </a>
  )
}

function LinkState(): JSX.Element {
  const link = useStore(app, state => state.link)
  const isPaused = useStore(app, state => state.isPaused)
  const waiting = useStore(app, state => state.waiting.length)
  const word = isPaused ? (waiting > 0 ? `${plural(waiting, 'change')} waiting` : 'paused') : linkWords[link]
  return (
    <div class={`link-state ${isPaused ? 'paused' : link}`}>
      <span class="dot" aria-hidden="true" />
      <span role="status">{word}</span>
      {link !== 'file' && (
        <button
          type="button"
          class="icon-button"
          aria-label={isPaused ? 'Go on' : 'Pause the list'}
          title={isPaused ? 'Go on' : 'Pause the list'}
          aria-pressed={isPaused}
          onClick={() => setPaused(!isPaused)}
        >
          <Icon name={isPaused ? 'play' : 'pause'} />
        </button>
      )}
    </div>
  )
}
