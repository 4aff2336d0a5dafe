/** What lies over the page. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { app } from '../state/app.ts'
import { Icon } from './icon.tsx'

export function Dialog({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    dialog?.showModal()
    // Closed, and not only taken away, so that whoever had the focus gets it back.
    return () => dialog?.close()
  }, [])
  const close = (): void => app.set({ dialog: undefined })
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="dialog-title">{title}</h2>
        <button type="button" class="icon-button" aria-label="Close" onClick={close}>
          <Icon name="close" />
        </button>
      </div>
      {children}
    </dialog>
  )
}
