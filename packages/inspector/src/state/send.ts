/** Sends requests from the page, and leads to the exchange that they make. */
import { messageOf } from './api.ts'
import { app, go, tell } from './app.ts'

/** Resolves to the id of the exchange as soon as its answer begins. The answer is read to its end. */
async function send(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const response = await fetch(path, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', 'x-toolwire-client': 'inspector' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const id = response.headers.get('x-request-id') ?? undefined
  void response.text().then(text => {
    if (!response.ok) tell(messageOf(parsed(text)) ?? `HTTP ${response.status}`)
  })
  return id
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export async function sendAndShow(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  try {
    const id = await send(path, body, headers)
    if (id !== undefined) go({ page: 'exchange', id, tab: 'conversation' })
  } catch (error) {
    tell(error instanceof Error ? error.message : String(error))
    if (app.get().link === 'live') return
  }
}
