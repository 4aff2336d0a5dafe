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

export function Virtual(props: VirtualProps): JSX.Element {
  const { count, rowHeight, shown, role } = props
  const box = useRef<HTMLDivElement>(null)
  const [range, setRange] = useState({ top: 0, height: 600 })
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
    const [top, bottom] = [shown * rowHeight, (shown + 1) * rowHeight]
    if (top < element.scrollTop) element.scrollTop = top
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight
  }, [shown, rowHeight])
  const first = Math.max(0, Math.floor(range.top / rowHeight) - beyond)
  const last = Math.min(count, Math.ceil((range.top + range.height) / rowHeight) + beyond)
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
      <div class="virtual-space" role="presentation" style={{ height: `${count * rowHeight}px` }}>
        <div
          class="virtual-rows"
          role="presentation"
          style={{ transform: `translateY(${first * rowHeight}px)` }}
        >
          {rows}
        </div>
      </div>
    </div>
  )
}
