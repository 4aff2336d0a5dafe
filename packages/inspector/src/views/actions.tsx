/** What can be done with an exchange: send it again, edit it, compare it, copy it, export it. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { type Blanking, blankings, cleaned, leavesBodies } from '../logic/blanking.ts'
import { toFixture, toHar, toJsonLines } from '../logic/exports.ts'
import { visible } from '../logic/format.ts'
import { type SnippetName, sentRequest, snippet, snippetNames, whyNotSent } from '../logic/snippets.ts'
import { type ExchangeDocument, isLocal, loadExchange } from '../state/api.ts'
import { app, go, tell } from '../state/app.ts'
import { copyText, download } from '../state/clipboard.ts'
import { htmlFile } from '../state/html-file.ts'
import { sendAndShow } from '../state/send.ts'
import { useStore } from '../state/store.ts'
import { Dialog } from './dialog.tsx'

export function Actions({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { trace } = document
  const { id } = trace.summary
  const dialog = useStore(app, state => state.dialog)
  const link = useStore(app, state => state.link)
  const other = useStore(app, state => state.compareWith)
  const sent = sentRequest(trace)
  const canSend = sent !== undefined && link !== 'file'
  const compare = (): void => {
    if (other === undefined || other === id) {
      app.set({ compareWith: id })
      tell('Choose another exchange, and press Compare there.')
    } else {
      app.set({ compareWith: undefined })
      go({ page: 'compare', a: other, b: id })
    }
  }
  return (
    <div class="actions">
      {canSend && (
        <>
          <button type="button" onClick={() => void sendAndShow(sent.path, sent.text, sent.headers)}>
            Replay
          </button>
          <button type="button" onClick={() => go({ page: 'playground', from: id })}>
            Edit and send
          </button>
        </>
      )}
      <button type="button" aria-pressed={other === id} onClick={compare}>
        {other === undefined || other === id ? 'Compare' : 'Compare with the one chosen'}
      </button>
      {sent !== undefined && (
        <button type="button" onClick={() => app.set({ dialog: 'copy' })}>
          Copy as
        </button>
      )}
      <button type="button" onClick={() => app.set({ dialog: 'export' })}>
        Export
      </button>
      {dialog === 'copy' && sent !== undefined && <CopyDialog sent={sent} />}
      {dialog === 'export' && <ExportDialog document={document} />}
    </div>
  )
}

/** What is to be known before one of the actions is chosen. */
export function ActionNotes({ document }: { readonly document: ExchangeDocument }): JSX.Element | null {
  const { trace } = document
  const why = whyNotSent(trace)
  if (why !== undefined)
    return <p class="quiet action-note">{why}, so that it can be neither sent again nor copied.</p>
  return sentRequest(trace)?.isMasked ? <MaskedNote /> : null
}

export function MaskedNote(): JSX.Element {
  return (
    <p class="quiet action-note">
      There is <code>***</code> in this request, as the gateway writes in place of keys. If it is sent again,
      it is sent so.
    </p>
  )
}

function CopyDialog({ sent }: { readonly sent: NonNullable<ReturnType<typeof sentRequest>> }): JSX.Element {
  const all = (Object.keys(snippetNames) as SnippetName[]).flatMap(name => {
    const text = snippet(name, sent, location.origin)
    return text === undefined ? [] : [{ name, text }]
  })
  const [chosen, setChosen] = useState<SnippetName>('curl')
  const shown = all.find(({ name }) => name === chosen)
  return (
    <Dialog title="Copy the request as">
      <fieldset class="switch">
        <legend class="hidden">Program</legend>
        {all.map(({ name }) => (
          <button key={name} type="button" aria-pressed={name === chosen} onClick={() => setChosen(name)}>
            {snippetNames[name]}
          </button>
        ))}
      </fieldset>
      <pre class="snippet" tabIndex={0}>
        {visible(shown?.text.slice(0, 20_000) ?? '')}
      </pre>
      <button type="button" class="primary" onClick={() => void copyText(shown?.text ?? '', 'request')}>
        Copy
      </button>
      <p class="quiet">The key is the variable TOOLWIRE_KEY.</p>
    </Dialog>
  )
}

const formats = { html: 'One HTML file', har: 'HAR', jsonl: 'JSON lines', fixture: 'Fixture' } as const
type Format = keyof typeof formats

function ExportDialog({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { summary } = document.trace
  const [format, setFormat] = useState<Format>('html')
  const [isWhole, setWhole] = useState(false)
  const [chosen, setChosen] = useState<ReadonlySet<Blanking>>(new Set())
  const conversation = app
    .get()
    .summaries.filter(each => each.conversation === summary.conversation && each.conversation !== undefined)
  const isEmpty = format === 'fixture' && !leavesBodies(chosen)
  const toggle = (name: Blanking): void => {
    const next = new Set(chosen)
    if (!next.delete(name)) next.add(name)
    setChosen(next)
  }
  const save = async (): Promise<void> => {
    const documents = isWhole ? await Promise.all(conversation.map(({ id }) => loadExchange(id))) : [document]
    await write(
      format,
      documents.map(each => cleaned(each, chosen)),
      summary.id,
    )
    app.set({ dialog: undefined })
  }
  return (
    <Dialog title="Export">
      <div class="form">
        <fieldset class="switch">
          <legend class="hidden">Format</legend>
          {(Object.keys(formats) as Format[]).map(name => (
            <button key={name} type="button" aria-pressed={name === format} onClick={() => setFormat(name)}>
              {formats[name]}
            </button>
          ))}
        </fieldset>
        {conversation.length > 1 && format !== 'fixture' && (
          <label>
            <input type="checkbox" checked={isWhole} onChange={() => setWhole(!isWhole)} /> All{' '}
            {conversation.length} exchanges of the conversation
          </label>
        )}
        <fieldset class="checks">
          <legend>Blank</legend>
          {(Object.keys(blankings) as Blanking[]).map(name => (
            <label key={name}>
              <input type="checkbox" checked={chosen.has(name)} onChange={() => toggle(name)} />{' '}
              {blankings[name]}
            </label>
          ))}
        </fieldset>
        <p class="quiet">
          {isEmpty
            ? 'A fixture is made of bodies, and nothing of them is left. Choose another format, or blank less.'
            : leavesBodies(chosen)
              ? 'Keys are masked in any case.'
              : 'Keys are masked in any case. All bodies are left out: what stays is the conversation and the facts.'}
        </p>
        <button
          type="button"
          class="primary"
          disabled={isEmpty}
          onClick={() => void save().catch((error: unknown) => tell(String(error)))}
        >
          Save the file
        </button>
      </div>
    </Dialog>
  )
}

async function write(format: Format, documents: readonly ExchangeDocument[], id: string): Promise<void> {
  const name = `toolwire-${id.slice(0, 12)}`
  const [first] = documents
  if (format === 'html') download(`${name}.html`, 'text/html', await htmlFile(documents))
  else if (format === 'har') download(`${name}.har`, 'application/json', toHar(documents, app.get().version))
  else if (format === 'jsonl') download(`${name}.jsonl`, 'application/jsonl', toJsonLines(documents))
  else if (first !== undefined) download(`${name}.json`, 'application/json', toFixture(first))
}

/** Whether an exchange came from a file. */
export function ImportedMark({ id }: { readonly id: string }): JSX.Element | null {
  return isLocal(id) ? <span class="new-word">imported</span> : null
}
