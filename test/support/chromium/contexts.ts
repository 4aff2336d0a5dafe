/** The pages and workers of a Chromium: events of each are received from its start, and a test can wait for one. */
import type { DevtoolsEvent, DevtoolsPipe } from './devtools-pipe.ts'

/** A page or a worker, and the way to speak with it. */
export interface Context {
  readonly sessionId: string
  readonly targetId: string
  /** As it was when it began: a worker's own, a page's first. */
  readonly url: string
  /** The value of an expression, awaited and copied. What it throws is thrown here. */
  evaluate<Value>(expression: string): Promise<Value>
  send<Result>(method: string, params?: object): Promise<Result>
}

export interface Contexts {
  /** Hears what the browser tells of its contexts. */
  onEvent(event: DevtoolsEvent): void
  /** The first that fits, as soon as there is one. */
  find(fits: (context: Context) => boolean): Promise<Context>
  /** Until a load of a page, by the id that the browser gave it, is done. */
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

  /** It waits with its first line until it is told to run. */
  const attach = async ({ sessionId, targetInfo }: Attached): Promise<void> => {
    const context = createContext(send, { ...targetInfo, sessionId })
    const first = ['Runtime.enable', 'Log.enable', 'Audits.enable', 'Runtime.runIfWaitingForDebugger']
    // One that is gone again before it was listened to has nothing to say.
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
        // What the debugger runs would otherwise be let off the page's policy.
        allowUnsafeEvalBlockedByCSP: false,
      })
      if (exceptionDetails !== undefined)
        throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text)
      return result.value as Value
    },
  }
}
