/** Where the gateway asks for keys: a key opens a session, which a cookie holds that no script can read. */
import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { fetchJson, post } from '../state/api.ts'
import { connect } from '../state/app.ts'
import { Icon } from './icon.tsx'

async function signIn(body: { key: string } | { code: string }): Promise<void> {
  const { path, ...init } = post('/toolwire/session', body)
  await fetchJson(path, init)
  await connect()
}

export function SignIn(): JSX.Element {
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState('')
  const attempt = (body: { key: string } | { code: string }): void => {
    setProblem('')
    signIn(body).catch((error: unknown) => setProblem(error instanceof Error ? error.message : String(error)))
  }
  useEffect(() => {
    const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1]
    if (code === undefined) return
    // It works once, and must not stay in the history.
    history.replaceState(null, '', '#/')
    attempt({ code })
  }, [])
  return (
    <main class="sign-in">
      <form
        onSubmit={event => {
          event.preventDefault()
          attempt({ key })
        }}
      >
        <h1>
          <Icon name="brand" /> toolwire inspector
        </h1>
        <p>This gateway asks for a key. Sign in with one of its clients’ or operators’ keys.</p>
        <label for="key">Key</label>
        <input
          id="key"
          type="password"
          autocomplete="current-password"
          required
          value={key}
          onInput={event => setKey(event.currentTarget.value)}
        />
        {problem !== '' && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <button type="submit" class="primary">
          Sign in
        </button>
        <p class="quiet">A client’s key shows its own exchanges, an operator’s key those of all.</p>
      </form>
    </main>
  )
}
