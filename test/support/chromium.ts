/**
 * A real Chromium with a fresh profile, driven over pipes. Every page and worker is watched from its first line on,
 * and whatever it complains of is kept.
 */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { chromiumPath } from '../extension/find-chromium.mjs'
import { complaintOf } from './chromium-complaints.ts'
import type { DevtoolsEvent, DevtoolsPipe } from './devtools-pipe.ts'
import { openDevtoolsPipe } from './devtools-pipe.ts'

/** A page or a worker, and the way to speak with it. */
export interface Context {
  readonly sessionId: string
  readonly targetId: string
  /** The value of an expression, awaited and copied. What it throws is thrown here. */
  evaluate<Value>(expression: string): Promise<Value>
  send<Result>(method: string, params?: object): Promise<Result>
}

export interface Chromium {
  /** Console errors and warnings, uncaught errors, violations of the policy: all since this was last asked. */
  takeComplaints(): string[]
  /** Gives the extension's id. */
  loadExtension(directory: string): Promise<string>
  /** A page of its own, once it is loaded. */
  openPage(url: string): Promise<Context>
  /** The worker of this address, as soon as it starts. */
  worker(url: string): Promise<Context>
  /** Ends the page or worker, and waits until it is gone. */
  stop(context: Context): Promise<void>
  close(): Promise<void>
}

const flags = [
  '--headless=new',
  '--remote-debugging-pipe',
  '--enable-unsafe-extension-debugging',
  '--no-sandbox',
  '--no-first-run',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

interface TargetInfo {
  readonly targetId: string
  readonly url: string
}

interface Attached extends Context {
  /** As it was when it was attached: a worker's own, a page's first. */
  readonly url: string
}

export async function startChromium(moreFlags: readonly string[] = []): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'toolwire-chromium-'))
  const child = spawn(chromiumPath, [...flags, `--user-data-dir=${profile}`, ...moreFlags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const contexts = new Map<string, Attached>()
  /** The loads of pages that are done, by the ids the browser gives them. */
  const loaded = new Set<unknown>()
  const watchers = new Set<() => void>()
  const complaints: string[] = []
  const changed = (): void => {
    for (const watcher of [...watchers]) watcher()
  }

  const onEvent = (event: DevtoolsEvent): void => {
    if (event.method === 'Target.attachedToTarget') void attach(event.params)
    else if (event.method === 'Page.lifecycleEvent') {
      if (event.params.name === 'load') loaded.add(event.params.loaderId)
      changed()
    } else if (event.method === 'Target.detachedFromTarget') {
      contexts.delete(String(event.params.sessionId))
      changed()
    } else {
      const complaint = complaintOf(event)
      if (complaint !== undefined) complaints.push(complaint)
    }
  }
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const pipe = openDevtoolsPipe(input, output, onEvent)

  /** It waits with its first line until it is listened to. */
  const attach = async (params: DevtoolsEvent['params']): Promise<void> => {
    const sessionId = String(params.sessionId)
    const { targetId, url } = params.targetInfo as TargetInfo
    const context = createContext(pipe, { sessionId, targetId, url })
    await Promise.allSettled([
      context.send('Runtime.enable'),
      context.send('Log.enable'),
      context.send('Audits.enable'),
      context.send('Runtime.runIfWaitingForDebugger'),
    ])
    contexts.set(sessionId, context)
    changed()
  }

  const when = <Value>(find: () => Value | undefined): Promise<Value> =>
    new Promise(resolve => {
      const look = (): void => {
        const found = find()
        if (found === undefined) return
        watchers.delete(look)
        resolve(found)
      }
      watchers.add(look)
      look()
    })

  await pipe.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })

  return {
    takeComplaints: () => complaints.splice(0),
    worker: url => when(() => [...contexts.values()].find(one => one.url === url)),
    async loadExtension(directory) {
      const { id } = await pipe.send<{ id: string }>('Extensions.loadUnpacked', { path: directory })
      return id
    },
    async openPage(url) {
      const { targetId } = await pipe.send<{ targetId: string }>('Target.createTarget', {
        url: 'about:blank',
      })
      const page = await when(() => [...contexts.values()].find(one => one.targetId === targetId))
      await page.send('Page.enable')
      await page.send('Page.setLifecycleEventsEnabled', { enabled: true })
      const { loaderId } = await page.send<{ loaderId: string }>('Page.navigate', { url })
      await when(() => (loaded.has(loaderId) ? true : undefined))
      return page
    },
    async stop({ sessionId, targetId }) {
      await pipe.send('Target.closeTarget', { targetId })
      // A worker lives for as long as somebody debugs it.
      await pipe.send('Target.detachFromTarget', { sessionId }).catch(() => {})
      await when(() => (contexts.has(sessionId) ? undefined : true))
    },
    async close() {
      await end(child, pipe)
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function createContext(
  pipe: DevtoolsPipe,
  where: Pick<Attached, 'sessionId' | 'targetId' | 'url'>,
): Attached {
  const send = <Result>(method: string, params: object = {}): Promise<Result> =>
    pipe.send<Result>(method, params, where.sessionId)
  return {
    ...where,
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

interface Evaluated {
  readonly result: { readonly value?: unknown }
  readonly exceptionDetails?: {
    readonly text: string
    readonly exception?: { readonly description?: string }
  }
}

async function end(child: ChildProcess, pipe: DevtoolsPipe): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  await pipe.send('Browser.close').catch(() => child.kill('SIGKILL'))
  await exited
}
