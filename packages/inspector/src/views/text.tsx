/** A text that somebody wrote, as text. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { count, plural, visible } from '../logic/format.ts'

/** Longer texts are cut until somebody wants to read on, and then shown in pieces that the page can take. */
const shownLength = 4000
const moreLength = 50_000

export function Text({
  text,
  isCode = false,
}: {
  readonly text: string
  readonly isCode?: boolean
}): JSX.Element {
  const [most, setMost] = useState(shownLength)
  // A little more than fits is shown at once.
  const shown = text.length > most * 1.25 ? text.slice(0, most) : text
  const left = text.length - shown.length
  const step = most === shownLength ? moreLength - shownLength : moreLength
  return (
    <>
      <pre class={isCode ? 'text code' : 'text'} dir="auto">
        {visible(shown)}
      </pre>
      {left > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + step)}>
          {left > step ? `Show ${count(step)} of ` : 'Show '}
          {plural(left, 'more character')}
        </button>
      )}
      {left === 0 && most > shownLength && (
        <button type="button" class="more" onClick={() => setMost(shownLength)}>
          Show less
        </button>
      )}
    </>
  )
}
