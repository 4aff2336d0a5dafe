/** A prompt on any wire and model, a request to edit and send again, and the gateway's tools to try. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { changedBody, inLines, promptBody, type Target } from '../logic/prompt-body.ts'
import { hasMask, sentRequest } from '../logic/snippets.ts'
import { type ExchangeDocument, fetchJson, loadExchange, post } from '../state/api.ts'
import { tell } from '../state/app.ts'
import { sendAndShow } from '../state/send.ts'
import { type GatewayStatus, useModels, useStatus } from '../state/status.ts'
import { MaskedNote } from './actions.tsx'
import { AnyBody } from './every-wire.tsx'
import { ToolForm } from './tool-form.tsx'

export function Playground({ from }: { readonly from: string | undefined }): JSX.Element {
  const { value: status, problem } = useStatus()
  const [origin, setOrigin] = useState<ExchangeDocument>()
  useEffect(() => {
    if (from !== undefined) loadExchange(from).then(setOrigin, (error: unknown) => tell(String(error)))
  }, [from])
  if (status === undefined || (from !== undefined && origin === undefined))
    return <p class="empty">{problem ?? 'Loading…'}</p>
  return (
    <div class="view playground">
      {status.may_send === false && (
        <p class="action-note">
          You have signed in with an operator’s key, which shows the exchanges of all but asks no model and
          runs no tool. Sign in with a client’s key to send something.
        </p>
      )}
      {origin === undefined ? <PromptForm status={status} /> : <EditForm status={status} origin={origin} />}
      {origin === undefined && <Tools status={status} />}
      {origin === undefined && <AnyBody wires={status.wires} />}
    </div>
  )
}

function TargetFields({
  status,
  models,
  target,
  onChange,
}: {
  readonly status: GatewayStatus
  readonly models: readonly string[]
  readonly target: Target
  onChange(target: Target): void
}): JSX.Element {
  return (
    <div class="form-row">
      <label>
        Wire
        <select
          value={target.path}
          onChange={event => onChange({ ...target, path: event.currentTarget.value })}
        >
          {status.wires.map(({ title, path }) => (
            <option key={path} value={path}>
              {title}
            </option>
          ))}
        </select>
      </label>
      <label>
        Model
        <input
          list="models"
          required
          placeholder={models[0] ?? 'its name'}
          value={target.model}
          onInput={event => onChange({ ...target, model: event.currentTarget.value })}
        />
        <datalist id="models">
          {models.map(id => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </label>
      <label>
        Upstream
        <select
          value={target.upstream}
          onChange={event => onChange({ ...target, upstream: event.currentTarget.value })}
        >
          <option value="">by the model</option>
          {status.upstreams.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={target.streamed}
          onChange={() => onChange({ ...target, streamed: !target.streamed })}
        />{' '}
        streamed
      </label>
    </div>
  )
}

function PromptForm({ status }: { readonly status: GatewayStatus }): JSX.Element {
  const models = useModels()
  const first = status.upstreams[0]?.models.find(name => !name.endsWith('*')) ?? ''
  const [chosen, setTarget] = useState<Target>({
    path: status.wires[0]?.path ?? '',
    model: first,
    upstream: '',
    streamed: true,
  })
  // Until somebody writes a name, the first model that an upstream has.
  const [isNamed, setNamed] = useState(first !== '')
  const target = isNamed ? chosen : { ...chosen, model: models[0] ?? '' }
  const [system, setSystem] = useState('')
  const [text, setText] = useState('')
  const model = target.upstream === '' ? target.model : `${target.upstream}/${target.model}`
  return (
    <form
      class="form card"
      onSubmit={event => {
        event.preventDefault()
        void sendAndShow(target.path, promptBody({ ...target, model, text, system }))
      }}
    >
      <h1>Ask a model</h1>
      <TargetFields
        status={status}
        models={models}
        target={target}
        onChange={next => {
          setNamed(isNamed || next.model !== target.model)
          setTarget(next)
        }}
      />
      <label>
        Instructions
        <textarea rows={2} value={system} onInput={event => setSystem(event.currentTarget.value)} />
      </label>
      <label>
        Prompt
        <textarea
          rows={5}
          required
          value={text}
          onInput={event => setText(event.currentTarget.value)}
          onKeyDown={event => {
            if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
              event.currentTarget.form?.requestSubmit()
          }}
        />
      </label>
      <div>
        <button type="submit" class="primary">
          Send
        </button>{' '}
        <span class="quiet">or Ctrl and Enter</span>
      </div>
    </form>
  )
}

interface DiffAnswer {
  readonly views: readonly { readonly wire: string; readonly value: unknown }[]
}

function EditForm({
  status,
  origin,
}: {
  readonly status: GatewayStatus
  readonly origin: ExchangeDocument
}): JSX.Element {
  const models = useModels()
  const sent = sentRequest(origin.trace)
  const { summary } = origin.trace
  const [text, setText] = useState(() => inLines(sent?.text ?? '{}'))
  const [target, setTarget] = useState<Target>({
    path: sent?.path ?? '',
    model: summary.model ?? '',
    upstream: '',
    streamed: summary.streamed === true,
  })
  const change = async (next: Target): Promise<void> => {
    const wireAt = (path: string): string | undefined =>
      status.wires.find(each => path.endsWith(each.path.replace(/^\/v1/, '')))?.name
    let body = text
    if (next.path !== target.path) {
      const { path, ...init } = post('/toolwire/diff', {
        value: JSON.parse(text),
        kind: 'request',
        from: wireAt(target.path),
      })
      const { views } = await fetchJson<DiffAnswer>(path, init)
      body = JSON.stringify(views.find(({ wire }) => wire === wireAt(next.path))?.value ?? {})
    }
    setText(changedBody(body, next))
    setTarget(next)
  }
  return (
    <form
      class="form card"
      onSubmit={event => {
        event.preventDefault()
        void sendAndShow(target.path, text, target.path === sent?.path ? sent.headers : {})
      }}
    >
      <h1>Edit and send again</h1>
      <TargetFields
        status={status}
        models={models}
        target={target}
        onChange={next => void change(next).catch((error: unknown) => tell(String(error)))}
      />
      <label>
        Body
        <textarea
          class="body"
          rows={22}
          spellcheck={false}
          value={text}
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      {hasMask(text) && <MaskedNote />}
      <div>
        <button type="submit" class="primary" disabled={!isJson(text)}>
          Send
        </button>{' '}
        {!isJson(text) && <span class="bad-word">This is not valid JSON.</span>}
      </div>
    </form>
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function Tools({ status }: { readonly status: GatewayStatus }): JSX.Element {
  return (
    <section class="card">
      <h2>Tools of the gateway</h2>
      {status.tools.length === 0 && (
        <p class="quiet">It runs none. Handlers in the configuration and MCP servers appear here.</p>
      )}
      {status.tools.map(tool => (
        <ToolForm key={tool.name} tool={tool} />
      ))}
    </section>
  )
}
