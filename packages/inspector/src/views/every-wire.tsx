/** A body on every wire, and what each of them loses: `toolwire diff` in the page. */
import type { Diagnostic } from '@toolwire/core'
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { plural } from '../logic/format.ts'
import { type ExchangeDocument, fetchJson, post } from '../state/api.ts'
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
  const [kind, setKind] = useState<'request' | 'answer'>('request')
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
          onChange={event => setKind(event.currentTarget.value as 'request' | 'answer')}
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

function DiffView({
  value,
  kind,
  from,
}: {
  readonly value: unknown
  readonly kind: 'request' | 'answer'
  readonly from: string | undefined
}): JSX.Element {
  const [diff, setDiff] = useState<Diff>()
  const [problem, setProblem] = useState('')
  useEffect(() => {
    const { path, ...init } = post('/toolwire/diff', { value, kind, ...(from !== undefined && { from }) })
    fetchJson<Diff>(path, init).then(setDiff, (error: unknown) => setProblem(String(error)))
  }, [value, kind, from])
  if (diff === undefined) return <p class="empty">{problem || 'Converting…'}</p>
  const ordered = [...diff.views].sort((a, b) => Number(b.wire === diff.from) - Number(a.wire === diff.from))
  return (
    <div class="every-wire">
      {ordered.map(view => (
        <section key={view.wire}>
          <h3>
            <code>{view.wire}</code> {view.wire === diff.from ? 'as given' : lossText(view.diagnostics)}
          </h3>
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
