/** The pages and workers of a Chromium: events of each are received from its start, and a test can wait for one. */
import type { DevtoolsEvent, DevtoolsPipe } from './devtools-pipe.ts'

/** A page or a worker, and a way to send commands to it. */
export interface Context {
  readonly sessionId: string
  readonly targetId: string
  /** The URL at the start; a page may navigate later. */
  readonly url: string
  /** Returns the awaited value of an expression as JSON, or throws its error. */
  evaluate<Value>(expression: string): Promise<Value>
  send<Result>(method: string, params?: object): Promise<Result>
}

export interface Contexts {
  /** Handles events about the contexts. */
  onEvent(event: DevtoolsEvent): void
  /** Resolves with the first context that fits, as soon as there is one. */
  find(fits: (context: Context) => boolean): Promise<Context>
  /** Resolves when the page load with this id is complete. */
  untilLoaded(loaderId: string): Promise<void>
  untilGone(context: Context): Promise<void>
}

export function createContexts(send: DevtoolsPipe['send']): Contexts {
  const contexts = new Map<string, Context>()
  const loaded = new Set<unknown>()
  const waiting = new Set<() => void>()

  const lookAgain = (): void => {
    for (const look of [...waiting]) look()
  }

  const until = (holds: () => boolean): Promise<void> =>
    new Promise(resolve => {
      const look = (): void => {
        if (!holds()) return
        waiting.delete(look)
        resolve()
      }
      waiting.add(look)
      look()
    })

  /** A new context is paused before its first line until `runIfWaitingForDebugger`. */
  const attach = async ({ sessionId, targetInfo }: Attached): Promise<void> => {
    const context = createContext(send, { ...targetInfo, sessionId })
    const first = ['Runtime.enable', 'Log.enable', 'Audits.enable', 'Runtime.runIfWaitingForDebugger']
    // A context that has closed in the meantime rejects, which does not matter.
    await Promise.allSettled(first.map(method => context.send(method)))
    contexts.set(sessionId, context)
    lookAgain()
  }

  return {
    onEvent({ method, params }) {
      if (method === 'Target.attachedToTarget') void attach(params as unknown as Attached)
      if (method === 'Target.detachedFromTarget') contexts.delete(String(params.sessionId))
      if (method === 'Page.lifecycleEvent' && params.name === 'load') loaded.add(params.loaderId)
      lookAgain()
    },
    async find(fits) {
      let found: Context | undefined
      await until(() => {
        found = [...contexts.values()].find(fits)
        return found !== undefined
      })
      return found as Context
    },
    untilLoaded: loaderId => until(() => loaded.has(loaderId)),
    untilGone: ({ sessionId }) => until(() => !contexts.has(sessionId)),
  }
}

interface Attached {
  readonly sessionId: string
  readonly targetInfo: { readonly targetId: string; readonly url: string }
}

interface Evaluated {
  readonly result: { readonly value?: unknown }
  readonly exceptionDetails?: {
    readonly text: string
    readonly exception?: { readonly description?: string }
  }
}

function createContext(
  sendTo: DevtoolsPipe['send'],
  { sessionId, targetId, url }: Pick<Context, 'sessionId' | 'targetId' | 'url'>,
): Context {
  const send: Context['send'] = (method, params) => sendTo(method, params, sessionId)
  return {
    sessionId,
    targetId,
    url,
    send,
    async evaluate<Value>(expression: string): Promise<Value> {
      const { result, exceptionDetails } = await send<Evaluated>('Runtime.evaluate', {
        expression,
        awaitPromise: true,
        returnByValue: true,
        // Otherwise expressions of the debugger would be exempt from the page's policy.
        allowUnsafeEvalBlockedByCSP: false,
      })
      if (exceptionDetails !== undefined)
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return result.value as Value
    },
  }
}
