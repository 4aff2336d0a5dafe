/** One exchange on two wires: what belongs together side by side, and what was lost or adapted at its line. */
import type { Diagnostic } from '@toolwire/core'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Pair } from '../../../toolwire/src/reading/pairs.ts'
import { isRequestCut } from '../logic/context.ts'
import { plural, visible } from '../logic/format.ts'
import { peek, valueAt } from '../logic/json-tree.ts'
import {
  type Direction,
  type PairRow,
  type PairState,
  pairRows,
  splitDiagnostics,
} from '../logic/wire-rows.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { app } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { EveryWire } from './every-wire.tsx'
import { Icon } from './icon.tsx'
import { type Explanations, Pin, PinnedJson } from './pinned.tsx'

const modes = ['request', 'answer', 'every'] as const
const modeNames = { request: 'Request', answer: 'Answer', every: 'On every wire' }
type Mode = (typeof modes)[number]

export function WiresView({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const [mode, setMode] = useState<Mode>('request')
  const { trace, reading } = document
  // A file can ask no gateway.
  const isFile = useStore(app, ({ link }) => link === 'file')
  const split = useMemo(() => splitDiagnostics(trace, reading), [document])
  const count = (side: Direction): number => split[side].filter(({ severity }) => severity !== 'info').length
  return (
    <div class="view wires" tabIndex={-1}>
      <div class="raw-bar">
        <fieldset class="switch">
          <legend class="hidden">What is compared</legend>
          {modes.slice(0, isFile ? 2 : 3).map(each => (
            <button key={each} type="button" aria-pressed={each === mode} onClick={() => setMode(each)}>
              {modeNames[each]}
              {each !== 'every' && count(each) > 0 && <span class="lost-count">{count(each)}</span>}
            </button>
          ))}
        </fieldset>
        <span class="quiet">{summaryOf(trace.losses.length, trace.notes?.length ?? 0)}</span>
      </div>
      {mode === 'every' ? (
        <EveryWire document={document} />
      ) : (
        <Sides key={mode} document={document} direction={mode} diagnostics={split[mode]} />
      )}
    </div>
  )
}

function summaryOf(losses: number, notes: number): string {
  if (losses + notes === 0) return 'Nothing was lost and nothing adapted.'
  const lost = losses === 0 ? 'nothing lost' : `${plural(losses, 'loss')}`
  return `${lost}, ${plural(notes, 'adaptation')} without a loss`
}

interface SidesProps {
  readonly document: ExchangeDocument
  readonly direction: Direction
  readonly diagnostics: readonly Diagnostic[]
}

const kindNames: { readonly [kind in Pair['kind']]: string } = {
  message: 'Messages',
  tool: 'Tools',
  setting: 'Settings',
  other: 'Other fields',
}
const shownRows = 200

function Sides({ document: { trace, reading }, direction, diagnostics }: SidesProps): JSX.Element {
  const sides = reading[direction]
  const { rows, unplaced } = useMemo(
    () => pairRows(sides, diagnostics, direction),
    [sides, diagnostics, direction],
  )
  const [most, setMost] = useState(shownRows)
  // Whatever was lost or adapted is shown, however far down it stands.
  const shown = rows.filter((row, i) => i < most || row.client.length + row.upstream.length > 0)
  const { wire = '?', upstream_wire: upstreamWire = '?' } = trace.summary
  if (sides.client === undefined && sides.upstream === undefined) {
    return <p class="empty">Neither side can be read as JSON; Raw has what was kept.</p>
  }
  return (
    <div class="sides">
      <div class={`sides-head ${direction}`}>
        <h2>
          Client <code>{wire}</code>
        </h2>
        <Icon name="arrow" />
        <h2>
          Upstream <code>{upstreamWire}</code>
        </h2>
      </div>
      {direction === 'request' && (isRequestCut(trace, 'client') || isRequestCut(trace, 'upstream')) && (
        <p class="quiet">Only the beginning of the request was kept, and of it alone this is made.</p>
      )}
      {unplaced.map((diagnostic, i) => (
        <Pin key={i} diagnostic={diagnostic} explanations={reading.explanations} />
      ))}
      {shown.map((row, i) => (
        <>
          {row.pair.kind !== shown[i - 1]?.pair.kind && (
            <h3 class="sides-kind">{kindNames[row.pair.kind]}</h3>
          )}
          <Row
            key={i}
            row={row}
            direction={direction}
            client={sides.client}
            upstream={sides.upstream}
            explanations={reading.explanations}
          />
        </>
      ))}
      {rows.length > shown.length && (
        <button type="button" class="more" onClick={() => setMost(most + shownRows)}>
          Show {plural(rows.length - shown.length, 'more row')}
        </button>
      )}
    </div>
  )
}

const added = 'added by the gateway'
const stateNames: { readonly [direction in Direction]: { readonly [state in PairState]: string } } = {
  request: { added, 'left-out': 'not sent', same: 'the same', rewritten: 'rewritten' },
  answer: { added, 'left-out': 'not passed on', same: 'the same', rewritten: 'rewritten' },
}
/** What stands on the side that has nothing. */
const missingNames: {
  readonly [direction in Direction]: { readonly client: string; readonly upstream: string }
} = {
  request: { client: 'not in the client’s request', upstream: 'not sent to the upstream' },
  answer: { client: 'not passed on to the client', upstream: 'not in the upstream’s answer' },
}

interface RowProps {
  readonly row: PairRow
  readonly direction: Direction
  readonly client: unknown
  readonly upstream: unknown
  readonly explanations: Explanations
}

function Row({ row, direction, client, upstream, explanations }: RowProps): JSX.Element {
  const { pair, state } = row
  const pins = [...row.client, ...row.upstream]
  const lost = pins.filter(({ severity }) => severity !== 'info').length
  const [isOpen, setOpen] = useState(pins.length > 0)
  const first = pair.client[0] ? valueAt(client, pair.client[0]) : valueAt(upstream, pair.upstream[0] ?? [])
  return (
    <section class={`pair ${isOpen ? 'open' : ''}`}>
      <button type="button" class="pair-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <b>{visible(pair.label)}</b>
        <span class="peek">{visible(peekText(first))}</span>
        {lost > 0 && (
          <span class="mark losses">
            <Icon name="warning" />
            {lost}
          </span>
        )}
        <span class={`pair-state ${state}`}>{stateNames[direction][state]}</span>
      </button>
      {isOpen && (
        <div class="pair-sides">
          <Side
            value={client}
            paths={pair.client}
            diagnostics={row.client}
            explanations={explanations}
            missing={missingNames[direction].client}
          />
          <Side
            value={upstream}
            paths={pair.upstream}
            diagnostics={row.upstream}
            explanations={explanations}
            missing={missingNames[direction].upstream}
          />
        </div>
      )}
    </section>
  )
}

interface SideProps {
  readonly value: unknown
  readonly paths: Pair['client']
  readonly diagnostics: readonly Diagnostic[]
  readonly explanations: Explanations
  readonly missing: string
}

function Side({ value, paths, diagnostics, explanations, missing }: SideProps): JSX.Element {
  if (paths.length === 0) {
    return (
      <div class="side missing">
        {missing}
        {diagnostics.map((diagnostic, i) => (
          <Pin key={i} diagnostic={diagnostic} explanations={explanations} />
        ))}
      </div>
    )
  }
  return (
    <div class="side">
      {paths.map((path, i) => (
        <PinnedJson
          key={i}
          value={valueAt(value, path)}
          root={path}
          diagnostics={
            paths.length === 1 ? diagnostics : diagnostics.filter(each => nearest(each, paths) === i)
          }
          explanations={explanations}
        />
      ))}
    </div>
  )
}

/** Of several places the one that a diagnostic is within. */
function nearest({ path }: Diagnostic, paths: Pair['client']): number {
  const at = paths.findIndex(root => root.every((step, i) => path[i] === step))
  return Math.max(0, at)
}

function peekText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return peek(value)
  const { content, text, name, description } = value as Record<string, unknown>
  const found = [text, content, description, name].find(each => typeof each === 'string')
  if (typeof found === 'string') return found.slice(0, 160)
  const [part] = Array.isArray(content) ? content : []
  const inner: unknown =
    typeof part === 'object' && part !== null ? (part as Record<string, unknown>).text : undefined
  return typeof inner === 'string' ? inner.slice(0, 160) : peek(value)
}
