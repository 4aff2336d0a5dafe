/** JSON with what was lost or adapted written at its lines. */
import type { Diagnostic } from '@toolwire/core'
import type { ComponentChildren, JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Reading } from '../../../toolwire/src/reading/reading.ts'
import { pathText, plural, visible } from '../logic/format.ts'
import type { Path } from '../logic/json-tree.ts'
import { type JsonLine, jsonLines, pinsOf } from '../logic/pins.ts'

export type Explanations = Reading['explanations']

interface PinnedProps {
  readonly value: unknown
  readonly root: Path
  readonly diagnostics: readonly Diagnostic[]
  readonly explanations: Explanations
}

const firstLines = 60
const moreLines = 500

export function PinnedJson({ value, root, diagnostics, explanations }: PinnedProps): JSX.Element {
  const [most, setMost] = useState(firstLines)
  const { lines, left } = useMemo(
    () =>
      jsonLines(
        value,
        root,
        most,
        diagnostics.map(({ path }) => path),
      ),
    [value, root, most, diagnostics],
  )
  const pins = useMemo(() => pinsOf(diagnostics, lines), [diagnostics, lines])
  return (
    <div class="pinned">
      {lines.map((line, i) => (
        <PinnedLine key={i} line={line} pins={pins.get(i) ?? []} explanations={explanations} />
      ))}
      {left > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + moreLines)}>
          Show {plural(Math.min(left, moreLines), 'more line')}
        </button>
      )}
    </div>
  )
}

function PinnedLine({
  line,
  pins,
  explanations,
}: {
  readonly line: JsonLine
  readonly pins: readonly Diagnostic[]
  readonly explanations: Explanations
}): JSX.Element {
  const { depth, name, text, kind } = line
  if (kind === 'gap')
    return (
      <div class="pinned-line gap" style={{ paddingLeft: `${8 + depth * 14}px` }}>
        {text} lines left out
      </div>
    )
  const worst = pins.some(({ severity }) => severity !== 'info') ? 'lost' : pins.length > 0 ? 'noted' : ''
  return (
    <>
      <div class={`pinned-line ${worst}`} style={{ paddingLeft: `${8 + depth * 14}px` }}>
        {name !== undefined && <span class="key">{visible(name)}</span>}
        <span class={`value ${kind}`}>{visible(text)}</span>
      </div>
      {pins.map((pin, i) => (
        <Pin key={i} diagnostic={pin} explanations={explanations} />
      ))}
    </>
  )
}

export function Pin({
  diagnostic,
  explanations,
  tag,
}: {
  readonly diagnostic: Diagnostic
  readonly explanations: Explanations
  readonly tag?: string
}): JSX.Element {
  const { code, severity, path, message } = diagnostic
  const known = explanations[code]
  return (
    <details class={`pin ${severity}`}>
      <summary>
        <code>{code}</code> {tag !== undefined && <b>{tag}</b>} {visible(message)}
      </summary>
      <p class="quiet">
        <code>{visible(pathText(path))}</code>
      </p>
      {known !== undefined && (
        <>
          <p>
            <strong>{withCode(known.title)}</strong> {withCode(known.explanation)}
          </p>
          <p>{withCode(known.remedy)}</p>
        </>
      )}
    </details>
  )
}

/** The explanations are our own texts, in which backticks stand around code. */
function withCode(text: string): ComponentChildren[] {
  return text.split('`').map((piece, i) => (i % 2 === 0 ? piece : <code key={i}>{piece}</code>))
}
