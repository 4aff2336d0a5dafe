/** Opens files that were exported here, or HAR of other programs. */
import type { JSX } from 'preact'
import { plural } from '../logic/format.ts'
import { fromFile } from '../logic/imports.ts'
import { type ExchangeDocument, fetchJson, post } from '../state/api.ts'
import { app, go, importDocuments, tell } from '../state/app.ts'
import { useStore } from '../state/store.ts'

async function open(files: FileList): Promise<void> {
  for (const file of files) {
    const found = fromFile(await file.text())
    const documents = await Promise.all(found.map(async each => ('reading' in each ? each : read(each))))
    importDocuments(documents)
    const [first] = documents
    if (first !== undefined) go({ page: 'exchange', id: first.trace.summary.id, tab: 'conversation' })
    tell(`Opened ${plural(documents.length, 'exchange')} of ${file.name}.`)
  }
}

function read(body: object): Promise<ExchangeDocument> {
  const { path, ...init } = post('/toolwire/read', body)
  return fetchJson<ExchangeDocument>(path, init)
}

export function ImportButton(): JSX.Element | null {
  const link = useStore(app, state => state.link)
  if (link === 'file') return null
  return (
    <label class="import">
      Import
      <input
        type="file"
        class="hidden"
        multiple
        accept=".har,.json,.jsonl,.html"
        onChange={event => {
          const { files } = event.currentTarget
          if (files !== null)
            open(files).catch((error: unknown) =>
              tell(error instanceof Error ? error.message : String(error)),
            )
        }}
      />
    </label>
  )
}
