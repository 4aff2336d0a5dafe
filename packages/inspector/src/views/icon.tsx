/** The few signs of the page, drawn here so that nothing is loaded. */
import type { JSX } from 'preact'

const paths = {
  brand: 'M2 5.5h4.3c2 0 2 5 4 5H14M2 10.5h4.3c2 0 2-5 4-5H14',
  help: 'M6 6.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.4M8 11.6v.1M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0Z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  play: 'M5 3.5l7 4.5-7 4.5z',
  close: 'M4 4l8 8M12 4l-8 8',
  right: 'M6 3.5 10.5 8 6 12.5',
  down: 'M3.5 6 8 10.5 12.5 6',
  arrow: 'M2.5 8h11M9.5 4l4 4-4 4',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  warning: 'M8 2.5 14.5 13.5h-13zM8 6.5v3.4M8 11.8v.1',
  tool: 'M10.4 2.6a3.4 3.4 0 0 0-3.2 4.6L2.6 11.8l1.6 1.6 4.6-4.6a3.4 3.4 0 0 0 4.5-4.2L11.2 6.7 9.3 4.8l2.1-2.1a3 3 0 0 0-1-.1Z',
  leave: 'M6.5 2.5h-4v11h4M6 8h8M10.5 4.5 14 8l-3.5 3.5',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9ZM10.5 10.5l3 3',
  back: 'M9.5 3.5 5 8l4.5 4.5',
} as const

export function Icon({ name }: { readonly name: keyof typeof paths }): JSX.Element {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={paths[name]} />
    </svg>
  )
}
