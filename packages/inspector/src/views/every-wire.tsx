/** A body on every wire, and what each of them loses: `toolwire diff` in the page. */
import type { Diagnostic } from '@toolwire/core'
import { parseJson } from '@toolwire/core/json'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { plural, visible } from '../logic/format.ts'
import { type ExchangeDocument, fetchJson, post } from '../state/api.ts'
import type { GatewayStatus } from '../state/status.ts'
import { type Explanations, Pin, PinnedJson } from './pinned.tsx'

interface OnWire {
  readonly wire: string
  readonly title: string
  readonly value: unknown
  readonly diagnostics: readonly Diagnostic[]
}

interface Diff {
  readonly from: string
  readonly views: readonly OnWire[]
  readonly explanations: Explanations
}

export function EveryWire({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const [kind, setKind] = useState<Kind>('request')
  const { reading, trace } = document
  const value = kind === 'request' ? reading.request.client : reading.answer.upstream
  const from = kind === 'request' ? trace.summary.wire : trace.summary.upstream_wire
  return (
    <>
      <p class="quiet">
        The{' '}
        <select
          aria-label="Which body"
          value={kind}
          onChange={event => setKind(event.currentTarget.value as Kind)}
        >
          <option value="request">client’s request</option>
          <option value="answer">upstream’s answer</option>
        </select>{' '}
        as it would stand on every wire, with the facts of the wires alone.
      </p>
      {value === undefined ? (
        <p class="empty">This side cannot be read as JSON.</p>
      ) : (
        <DiffView key={kind} value={value} kind={kind} from={from} />
      )}
    </>
  )
}

/** The same for any body that somebody has. */
export function AnyBody({ wires }: { readonly wires: GatewayStatus['wires'] }): JSX.Element {
  const [text, setText] = useState('')
  const [kind, setKind] = useState<Kind>('request')
  const [from, setFrom] = useState('')
  const [shown, setShown] = useState<{ value: unknown; kind: Kind; from: string | undefined }>()
  const value = parseJson(text)
  return (
    <form
      class="form card any-body"
      onSubmit={event => {
        event.preventDefault()
        setShown({ value, kind, from: from || undefined })
      }}
    >
      <h2>Any body on every wire</h2>
      <p class="quiet">
        What each wire makes of it, and what it loses: the same as “toolwire diff”. Nothing is sent to a
        model.
      </p>
      <label>
        Body
        <textarea
          class="body"
          rows={8}
          spellcheck={false}
          placeholder='{"model": "…", "messages": [{"role": "user", "content": "Hello"}]}'
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      <div class="form-row">
        <label>
          It is
          <select value={kind} onChange={event => setKind(event.currentTarget.value as Kind)}>
            <option value="request">a request</option>
            <option value="answer">an answer</option>
          </select>
        </label>
        <label>
          Of the wire
          <select value={from} onChange={event => setFrom(event.currentTarget.value)}>
            <option value="">found out by its form</option>
            {wires.map(({ name, title }) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
        </label>
      </div>
      <div>
        <button type="submit" class="primary" disabled={value === undefined}>
          Show on every wire
        </button>{' '}
        {text !== '' && value === undefined && <span class="bad-word">This is not valid JSON.</span>}
      </div>
      {shown !== undefined && <DiffView {...shown} />}
    </form>
  )
}

type Kind = 'request' | 'answer'

function DiffView({
  value,
  kind,
  from,
}: {
  readonly value: unknown
  readonly kind: Kind
  readonly from: string | undefined
}): JSX.Element {
  const [diff, setDiff] = useState<Diff>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const { path, ...init } = post('/toolwire/diff', { value, kind, ...(from !== undefined && { from }) })
    let isWanted = true
    setDiff(undefined)
    setProblem('')
    fetchJson<Diff>(path, init).then(
      found => isWanted && setDiff(found),
      (error: unknown) => isWanted && setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isWanted = false
    }
  }, [value, kind, from])
  if (diff === undefined)
    return (
      <p class="empty" role="status">
        {visible(problem) || 'Converting…'}
      </p>
    )
  const ordered = [...diff.views].sort((a, b) => Number(b.wire === diff.from) - Number(a.wire === diff.from))
  return (
    <div class="every-wire">
      {ordered.map(view => (
        <section key={view.wire}>
          <h2>
            <code>{view.wire}</code> {view.wire === diff.from ? 'as given' : lossText(view.diagnostics)}
          </h2>
          {view.diagnostics
            .filter(({ severity }) => severity !== 'info')
            .map((diagnostic, i) => (
              <Pin key={i} diagnostic={diagnostic} explanations={diff.explanations} />
            ))}
          <PinnedJson
            value={view.value}
            root={[]}
            diagnostics={view.wire === diff.from ? lossesElsewhere(diff) : []}
            explanations={diff.explanations}
          />
        </section>
      ))}
    </div>
  )
}

/** At the source, what any other wire loses. */
function lossesElsewhere({ views }: Diff): Diagnostic[] {
  return views.flatMap(({ wire, diagnostics }) =>
    diagnostics
      .filter(({ severity }) => severity !== 'info')
      .map(each => ({ ...each, message: `${wire}: ${each.message}` })),
  )
}

function lossText(diagnostics: readonly Diagnostic[]): string {
  const lost = diagnostics.filter(({ severity }) => severity !== 'info').length
  return lost === 0 ? 'nothing lost' : plural(lost, 'loss')
}
