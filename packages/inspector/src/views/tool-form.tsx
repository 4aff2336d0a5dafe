/** One tool of the gateway with a form for its arguments. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { duration, visible } from '../logic/format.ts'
import { type FormField, formArguments, formFields } from '../logic/schema-form.ts'
import { fetchJson, post } from '../state/api.ts'
import type { GatewayTool } from '../state/status.ts'

interface ToolOutcome {
  readonly status: string
  readonly is_error: boolean
  readonly duration_ms: number
  readonly content: readonly { readonly type: string; readonly text?: string }[]
}

export function ToolForm({ tool }: { readonly tool: GatewayTool }): JSX.Element {
  const fields = formFields(tool.parameters)
  const [filled, setFilled] = useState<Record<string, string | boolean>>({})
  const [outcome, setOutcome] = useState<ToolOutcome>()
  const [problem, setProblem] = useState('')
  const run = async (): Promise<void> => {
    setProblem('')
    const { path, ...init } = post(`/toolwire/tools/${encodeURIComponent(tool.name)}`, {
      arguments: formArguments(fields, filled),
    })
    setOutcome(await fetchJson<ToolOutcome>(path, init))
  }
  return (
    <details class="tool">
      <summary>
        <code>{visible(tool.name)}</code> <span class="quiet">{visible(tool.description ?? '')}</span>
      </summary>
      <form
        class="form"
        onSubmit={event => {
          event.preventDefault()
          run().catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
        }}
      >
        {fields.map(field => (
          <Field
            key={field.name}
            field={field}
            id={`${tool.name}-${field.name}`}
            onFill={value => setFilled({ ...filled, [field.name]: value })}
          />
        ))}
        <div>
          <button type="submit">Run</button> {problem !== '' && <span class="bad-word">{problem}</span>}
        </div>
      </form>
      {outcome !== undefined && (
        <div class={`result ${outcome.is_error ? 'failed' : ''}`}>
          <p class="quiet">
            {outcome.status} in {duration(outcome.duration_ms)}
          </p>
          <pre class="text code">
            {visible(outcome.content.map(({ type, text }) => text ?? `[${type}]`).join('\n'))}
          </pre>
        </div>
      )}
    </details>
  )
}

function Field({
  field,
  id,
  onFill,
}: {
  readonly field: FormField
  readonly id: string
  onFill(value: string | boolean): void
}): JSX.Element {
  const { label, about, isRequired, input, choices } = field
  const read = (event: { currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement }): void =>
    onFill(event.currentTarget.value)
  return (
    <label for={id}>
      {visible(label)}
      {isRequired && ' *'} <small>{visible(about)}</small>
      {input === 'choice' ? (
        <select id={id} required={isRequired} onChange={read}>
          <option value="" />
          {choices.map(choice => (
            <option key={choice}>{choice}</option>
          ))}
        </select>
      ) : input === 'checkbox' ? (
        <input id={id} type="checkbox" onChange={event => onFill(event.currentTarget.checked)} />
      ) : input === 'json' ? (
        <textarea id={id} rows={3} placeholder="JSON" required={isRequired} onInput={read} />
      ) : (
        <input id={id} type={input} step="any" required={isRequired} onInput={read} />
      )}
    </label>
  )
}
