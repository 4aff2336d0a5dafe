/** What lies over the page: help, and later copies and exports. */
import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { fields } from '../logic/filter.ts'
import { app } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { Icon } from './icon.tsx'

export function Dialogs(): JSX.Element | null {
  const dialog = useStore(app, state => state.dialog)
  return dialog === 'help' ? <Help /> : null
}

function Dialog({
  title,
  children,
}: {
  readonly title: string
  readonly children: ComponentChildren
}): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  const close = (): void => app.set({ dialog: undefined })
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close} onCancel={close}>
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

const keys: readonly (readonly [string, string])[] = [
  ['/', 'filter'],
  ['↑ ↓', 'one exchange up or down'],
  ['1 – 5', 'conversation, wires, raw, timeline, context'],
  ['Esc', 'back to the list'],
  ['?', 'this help'],
]

function Help(): JSX.Element {
  return (
    <Dialog title="Keys and filters">
      <dl class="keys">
        {keys.map(([key, about]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
      <p>
        A filter has words and fields: <code>model:qwen* status:&gt;=400 -client:curl "some words"</code>.
        Numbers take
        <code>&gt;</code>, <code>&gt;=</code>, <code>&lt;</code>, <code>&lt;=</code> and <code>k</code>; names
        take
        <code>*</code>; a minus turns a term round.
      </p>
      <dl class="fields">
        {Object.entries(fields).map(([name, { about }]) => (
          <div key={name}>
            <dt>
              <code>{name}:</code>
            </dt>
            <dd>{about}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
