/** Where the gateway asks for keys: a key, or the code of a link, opens a session, which a cookie holds that no script can read. */
import { fetchJson, post } from './api.ts'

export async function openSession(by: { readonly key: string } | { readonly code: string }): Promise<void> {
  const { path, ...init } = post('/toolwire/session', by)
  await fetchJson(path, init)
}

export async function closeSession(): Promise<void> {
  await fetchJson('/toolwire/session', { method: 'DELETE' })
}

/**
 * Uses the code in the address, if there is one: it works once, and must stay neither valid nor in the history, whether or
 * not anybody has to sign in. Resolves to what was wrong with it.
 */
export async function takeCode(): Promise<string | undefined> {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
  if (code === undefined) return undefined
  history.replaceState(null, '', '#/')
  try {
    await openSession({ code })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
