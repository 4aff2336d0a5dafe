/** A real Chromium with a fresh profile, driven over pipes. Errors of its pages and workers are collected. */
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { chromiumPath } from '../../extension/find-chromium.mjs'
import type { Context } from './contexts.ts'
import { createContexts } from './contexts.ts'
import type { DevtoolsPipe } from './devtools-pipe.ts'
import { openDevtoolsPipe } from './devtools-pipe.ts'
import { errorOf } from './page-errors.ts'

export interface Chromium {
  /** Console errors and warnings, uncaught errors and policy violations since the last call. */
  takeErrors(): string[]
  /** Returns the extension's id. */
  loadExtension(directory: string): Promise<string>
  /** Opens a new page and waits until it is loaded. */
  openPage(url: string): Promise<Context>
  /** The worker with this URL, as soon as it starts; its script may not have run yet. */
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

export async function startChromium(moreFlags: readonly string[] = []): Promise<Chromium> {
  const profile = mkdtempSync(join(tmpdir(), 'toolwire-chromium-'))
  const child = spawn(chromiumPath, [...flags, `--user-data-dir=${profile}`, ...moreFlags, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const errors: string[] = []
  const contexts = createContexts((...message) => pipe.send(...message))
  const pipe = openDevtoolsPipe({
    ...endsOf(child),
    onEvent(event) {
      contexts.onEvent(event)
      const error = errorOf(event)
      if (error !== undefined) errors.push(error)
    },
  })
  await pipe.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: true, flatten: true })

  return {
    takeErrors: () => errors.splice(0),
    worker: url => contexts.find(context => context.url === url),
    async loadExtension(path) {
      const { id } = await pipe.send<{ id: string }>('Extensions.loadUnpacked', { path })
      return id
    },
    async openPage(url) {
      const { targetId } = await pipe.send<{ targetId: string }>('Target.createTarget', {
        url: 'about:blank',
      })
      const page = await contexts.find(context => context.targetId === targetId)
      await page.send('Page.enable')
      await page.send('Page.setLifecycleEventsEnabled', { enabled: true })
      const { loaderId } = await page.send<{ loaderId: string }>('Page.navigate', { url })
      await contexts.untilLoaded(loaderId)
      return page
    },
    async stop(context) {
      const { targetId, sessionId } = context
      await pipe.send('Target.closeTarget', { targetId })
      // A worker lives until its debugger detaches; a page is closed already.
      await pipe.send('Target.detachFromTarget', { sessionId }).catch(() => {})
      await contexts.untilGone(context)
    },
    async close() {
      await end(child, pipe)
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** Chromium reads its third pipe, writes its fourth, and reports its own errors on the second. */
function endsOf(child: ChildProcess): { input: Writable; output: Readable; lastErrors(): string } {
  const [, , stderr, input, output] = child.stdio as unknown as [null, null, Readable, Writable, Readable]
  let text = ''
  stderr.on('data', chunk => {
    text = (text + chunk).slice(-2000)
  })
  child.on('error', error => {
    text += error
  })
  return { input, output, lastErrors: () => text }
}

async function end(child: ChildProcess, pipe: DevtoolsPipe): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  await pipe.send('Browser.close').catch(() => child.kill('SIGKILL'))
  await exited
}
