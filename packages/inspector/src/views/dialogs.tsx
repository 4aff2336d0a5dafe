/** The help of the page. */
import type { JSX } from 'preact'
import { fields } from '../logic/filter.ts'
import { app } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { Dialog } from './dialog.tsx'

export function Dialogs(): JSX.Element | null {
  const dialog = useStore(app, state => state.dialog)
  return dialog === 'help' ? <Help /> : null
}

const keys: readonly (readonly [string, string])[] = [
  ['/', 'filter'],
  ['↑ ↓', 'one exchange up or down'],
  ['← →', 'fold and unfold the conversation; Enter does either'],
  ['Enter', 'into what is shown of the exchange, to scroll it'],
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
        Numbers take <code>&gt;</code>, <code>&gt;=</code>, <code>&lt;</code> and <code>&lt;=</code>, and{' '}
        <code>k</code> for thousands, as in <code>in:&gt;10k</code>; names take <code>*</code>; a minus turns
        a term round.
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
