/** The form where the gateway asks for a key. */
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { app, connect } from '../state/app.ts'
import { openSession } from '../state/session.ts'
import { useStore } from '../state/store.ts'
import { Icon } from './icon.tsx'

export function SignIn(): JSX.Element {
  const linkProblem = useStore(app, state => state.linkProblem)
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(linkProblem ?? '')
  const signIn = async (): Promise<void> => {
    setProblem('')
    try {
      await openSession({ key })
      await connect()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <main class="sign-in">
      <form
        onSubmit={event => {
          event.preventDefault()
          void signIn()
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
