/** One tool of the gateway with a form for its arguments. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { duration, visible } from '../logic/format.ts'
import { type FormField, formArguments, formFields, initialArguments } from '../logic/schema-form.ts'
import { fetchJson, post } from '../state/api.ts'
import type { GatewayTool } from '../state/status.ts'

interface ToolContent {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly media_type?: string
}

interface ToolOutcome {
  readonly status: string
  readonly is_error: boolean
  readonly duration_ms: number
  readonly content: readonly ToolContent[]
}

export function ToolForm({ tool }: { readonly tool: GatewayTool }): JSX.Element {
  const fields = formFields(tool.parameters)
  const [filled, setFilled] = useState(() => initialArguments(fields))
  const [outcome, setOutcome] = useState<ToolOutcome>()
  const [problem, setProblem] = useState('')
  const [isRunning, setRunning] = useState(false)
  const run = async (): Promise<void> => {
    setProblem('')
    setRunning(true)
    try {
      const { path, ...init } = post(`/toolwire/tools/${encodeURIComponent(tool.name)}`, {
        arguments: formArguments(fields, filled),
      })
      setOutcome(await fetchJson<ToolOutcome>(path, init))
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
    setRunning(false)
  }
  return (
    <details class="tool-card">
      <summary>
        <code>{visible(tool.name)}</code> <span class="quiet">{visible(tool.description ?? '')}</span>
      </summary>
      <form
        class="form"
        onSubmit={event => {
          event.preventDefault()
          void run()
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
          <button type="submit" disabled={isRunning}>
            {isRunning ? 'Running…' : 'Run'}
          </button>{' '}
          {problem !== '' && (
            <span class="bad-word" role="alert">
              {visible(problem)}
            </span>
          )}
        </div>
      </form>
      {outcome !== undefined && (
        <div class={`result ${outcome.is_error ? 'failed' : ''}`}>
          <p class="quiet">
            {outcome.status} in {duration(outcome.duration_ms)}
          </p>
          {outcome.content.map((part, i) => (
            <Content key={i} part={part} />
          ))}
        </div>
      )}
    </details>
  )
}

function Content({ part }: { readonly part: ToolContent }): JSX.Element {
  const { type, text, data, media_type: mediaType = '' } = part
  // Of a picture only what is certainly one, from its own bytes.
  return data !== undefined && /^image\/(?:png|jpeg|gif|webp)$/.test(mediaType) ? (
    <img src={`data:${mediaType};base64,${data}`} alt="As the tool returned it" />
  ) : (
    <pre class="text code">{visible(text ?? `[${type}]`)}</pre>
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
  const { label, about, isRequired, input, choices, initial, limits } = field
  const text = String(initial)
  const common = { id, required: isRequired }
  const read = (event: { currentTarget: HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement }): void =>
    onFill(event.currentTarget.value)
  return (
    <label for={id}>
      {visible(label)}
      {isRequired && input !== 'checkbox' && ' *'} <small>{visible(about)}</small>
      {input === 'choice' ? (
        <select {...common} onChange={read}>
          <option value="" />
          {choices.map(String).map(choice => (
            <option key={choice} selected={choice === text}>
              {choice}
            </option>
          ))}
        </select>
      ) : input === 'checkbox' ? (
        // One that must be there may be left unticked, which says no.
        <input
          id={id}
          type="checkbox"
          defaultChecked={initial === true}
          onChange={event => onFill(event.currentTarget.checked)}
        />
      ) : input === 'number' ? (
        <input {...common} {...limits} type="number" defaultValue={text} onInput={read} />
      ) : (
        <textarea
          {...common}
          {...limits}
          class={input === 'json' ? 'json' : 'line'}
          rows={input === 'json' ? 3 : 1}
          placeholder={input === 'json' ? 'JSON' : ''}
          spellcheck={false}
          defaultValue={text}
          onInput={read}
          onKeyDown={event => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
      )}
    </label>
  )
}
