/** The four views as they were on the wire: headers apart, JSON as a tree, streams event by event. */
import { parseJson } from '@toolwire/core/json'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { ViewName } from '../../../toolwire/src/telemetry/observer.ts'
import type { TracePart } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { eventsOf, looksLikeStream, newsIn, type StreamEvent } from '../logic/events.ts'
import { bytes, duration, plural, visible } from '../logic/format.ts'
import { bodyValue } from '../logic/json-tree.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { copyText } from '../state/clipboard.ts'
import { Icon } from './icon.tsx'
import { Tree } from './tree.tsx'
import { Virtual } from './virtual.tsx'

const viewNames: readonly (readonly [ViewName, string])[] = [
  ['client-request', 'Client’s request'],
  ['upstream-request', 'Upstream’s request'],
  ['upstream-answer', 'Upstream’s answer'],
  ['client-answer', 'Client’s answer'],
]

export function RawView({ document: { trace } }: { readonly document: ExchangeDocument }): JSX.Element {
  const [name, setName] = useState<ViewName>('client-request')
  const [round, setRound] = useState(0)
  const view = trace.views[name]
  const part = view?.parts[Math.min(round, view.parts.length - 1)]
  return (
    <div class="view raw" tabIndex={-1}>
      <div class="raw-bar">
        <fieldset class="switch">
          <legend class="hidden">Side</legend>
          {viewNames.map(([each, title]) => (
            <button
              key={each}
              type="button"
              aria-pressed={each === name}
              disabled={trace.views[each] === undefined}
              onClick={() => setName(each)}
            >
              {title}
            </button>
          ))}
        </fieldset>
        {view !== undefined && view.parts.length > 1 && (
          <label>
            Round{' '}
            <select value={round} onChange={event => setRound(Number(event.currentTarget.value))}>
              {view.parts.map((_, i) => (
                <option key={i} value={i}>
                  {i + 1} of {view.parts.length}
                </option>
              ))}
            </select>
          </label>
        )}
      </div>
      {part === undefined ? (
        <p class="empty">Nothing was kept of this side.</p>
      ) : (
        <Part key={`${name} ${round}`} part={part} />
      )}
      {(view?.omitted ?? 0) > 0 && (
        <p class="quiet">{plural(view?.omitted ?? 0, 'more round')} did not fit.</p>
      )}
    </div>
  )
}

function Part({ part }: { readonly part: TracePart }): JSX.Element {
  const [isPlain, setPlain] = useState(false)
  const isStream = looksLikeStream(part.text)
  const value = useMemo(() => (isStream ? undefined : bodyValue(part)), [part.text, isStream])
  return (
    <>
      <div class="raw-line">
        <code>{visible(part.line ?? '')}</code>
        <span class="quiet">
          {bytes(part.size)}
          {part.cut && ', only the beginning was kept: “trace.viewBytes” sets how much'}
        </span>
        <button type="button" onClick={() => setPlain(!isPlain)} aria-pressed={isPlain}>
          As text
        </button>
        <button type="button" onClick={() => void copyText(part.text, 'body')}>
          <Icon name="copy" /> Copy
        </button>
      </div>
      <Headers headers={part.headers ?? {}} />
      {isPlain || (value === undefined && !isStream) ? (
        <PlainText text={part.text} />
      ) : isStream ? (
        <Events part={part} />
      ) : (
        <Tree value={value} label="body" />
      )}
    </>
  )
}

function Headers({ headers }: { readonly headers: Readonly<Record<string, string>> }): JSX.Element | null {
  const entries = Object.entries(headers)
  if (entries.length === 0) return null
  return (
    <details class="headers">
      <summary>{plural(entries.length, 'header')}</summary>
      <dl>
        {entries.map(([name, value]) => (
          <div key={name}>
            <dt>{visible(name)}</dt>
            <dd>{visible(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  )
}

const lineHeight = 20
const longestLine = 2000

/** By lines, of which only those that can be seen are in the page. */
function PlainText({ text }: { readonly text: string }): JSX.Element {
  const lines = useMemo(() => text.split('\n').flatMap(cutLine), [text])
  return (
    <Virtual
      role="list"
      class="plain"
      label="Body as text"
      count={lines.length}
      rowHeight={lineHeight}
      row={i => (
        <div key={i} role="listitem" class="plain-line">
          {visible(lines[i] ?? '') || ' '}
        </div>
      )}
    />
  )
}

function cutLine(line: string): string[] {
  const pieces: string[] = []
  for (let at = 0; at === 0 || at < line.length; at += longestLine)
    pieces.push(line.slice(at, at + longestLine))
  return pieces
}

const eventHeight = 26

function Events({ part }: { readonly part: TracePart }): JSX.Element {
  const events = useMemo(() => eventsOf(part.text, part.event_times_ms), [part.text, part.event_times_ms])
  const [chosen, setChosen] = useState(0)
  const event = events[chosen]
  return (
    <div class="events">
      <Virtual
        role="listbox"
        label={`${events.length} events`}
        class="event-list"
        count={events.length}
        rowHeight={eventHeight}
        shown={chosen}
        activeId={`event-${chosen}`}
        onKeyDown={pressed => {
          const next = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: events.length - 1 }[
            pressed.key
          ]
          if (next === undefined) return
          pressed.preventDefault()
          setChosen(Math.max(0, Math.min(events.length - 1, next)))
        }}
        row={i => (
          <EventRow
            key={i}
            event={events[i]}
            before={events[i - 1]}
            isChosen={i === chosen}
            onChoose={() => setChosen(i)}
          />
        )}
      />
      {event !== undefined && <EventData key={chosen} event={event} />}
    </div>
  )
}

function EventRow({
  event,
  before,
  isChosen,
  onChoose,
}: {
  readonly event: StreamEvent | undefined
  readonly before: StreamEvent | undefined
  readonly isChosen: boolean
  onChoose(): void
}): JSX.Element | null {
  if (event === undefined) return null
  return (
    <div
      id={`event-${event.index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      class={`event-row ${isChosen ? 'active' : ''}`}
      onClick={onChoose}
    >
      <span class="figures">{event.ms === undefined ? '' : duration(event.ms)}</span>
      <code>{visible(event.name)}</code>
      <span class="peek">{visible(newsIn(event, before).slice(0, 160))}</span>
    </div>
  )
}

function EventData({ event }: { readonly event: StreamEvent }): JSX.Element {
  const value = parseJson(event.data)
  return value === undefined || typeof value !== 'object' ? (
    <PlainText text={event.data} />
  ) : (
    <Tree value={value} label={`event ${event.index + 1}`} />
  )
}
