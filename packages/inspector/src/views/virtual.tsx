/** A list of which only what can be seen is in the page, however long it is. All rows are equally high. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

interface VirtualProps {
  readonly count: number
  readonly rowHeight: number
  readonly id?: string
  readonly class?: string
  readonly role: 'listbox' | 'tree' | 'list' | 'table'
  readonly label: string
  /** The row that must be seen, when it changes. */
  readonly shown?: number
  readonly activeId?: string | undefined
  onKeyDown?(event: KeyboardEvent): void
  row(index: number): ComponentChildren
}

const beyond = 6
/** Browsers draw nothing that is higher than about 33 million pixels; what is higher scrolls faster instead. */
const highest = 8_000_000

export function Virtual(props: VirtualProps): JSX.Element {
  const { count, rowHeight, shown, role } = props
  const box = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ top: 0, height: 600 })
  const space = Math.min(count * rowHeight, highest)
  /** Pixels of rows for each pixel that is scrolled. */
  const pace = (height: number): number =>
    space < highest ? 1 : (count * rowHeight - height) / Math.max(1, space - height)
  useLayoutEffect(() => {
    const element = box.current
    if (element === null) return
    const look = (): void => setRange({ top: element.scrollTop, height: element.clientHeight })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    look()
    return () => observer.disconnect()
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null || shown === undefined || shown < 0) return
    const { scrollTop, clientHeight } = element
    const faster = pace(clientHeight)
    const [top, bottom] = [shown * rowHeight, (shown + 1) * rowHeight]
    const [seen, unseen] = [scrollTop * faster, scrollTop * faster + clientHeight]
    // What is far away is shown with what stands around it.
    if (bottom < seen - rowHeight || top > unseen + rowHeight)
      element.scrollTop = (top - clientHeight / 2) / faster
    else if (top < seen) element.scrollTop = top / faster
    else if (bottom > unseen) element.scrollTop = (bottom - clientHeight) / faster
  }, [shown, rowHeight])
  const top = range.top * pace(range.height)
  const first = Math.max(0, Math.floor(top / rowHeight) - beyond)
  const last = Math.min(count, Math.ceil((top + range.height) / rowHeight) + beyond)
  const rows: ComponentChildren[] = []
  for (let i = first; i < last; i++) rows.push(props.row(i))
  return (
    <div
      ref={box}
      id={props.id}
      class={`virtual ${props.class ?? ''}`}
      role={role}
      aria-label={props.label}
      aria-activedescendant={props.activeId}
      tabIndex={0}
      onKeyDown={props.onKeyDown}
      onScroll={event => {
        const { scrollTop, clientHeight } = event.currentTarget
        setRange({ top: scrollTop, height: clientHeight })
      }}
    >
      <div class="virtual-space" role="presentation" style={{ height: `${space}px` }}>
        <div
          class="virtual-rows"
          role="presentation"
          style={{ transform: `translateY(${first * rowHeight - top + range.top}px)` }}
        >
          {rows}
        </div>
      </div>
    </div>
  )
}
