import type { JSX } from 'preact'

export function Compare(_: { a?: string; b?: string; from?: string | undefined }): JSX.Element {
  return <p class="empty">…</p>
}
