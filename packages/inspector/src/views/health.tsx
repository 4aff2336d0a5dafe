import type { JSX } from 'preact'

export function Health(_: { a?: string; b?: string; from?: string | undefined }): JSX.Element {
  return <p class="empty">…</p>
}
