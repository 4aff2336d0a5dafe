/**
 * `examples/mv3-extension`, built as its README says and loaded into a real Chromium, against the gateway's demo model.
 * The example connects to port 4141; a browser flag maps it to the gateway's port, so that the files stay unchanged.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Chromium } from '../support/chromium/chromium.ts'
import { startChromium } from '../support/chromium/chromium.ts'
import type { Context } from '../support/chromium/contexts.ts'
import type { DemoGateway } from '../support/gateway/demo-gateway.ts'
import { startDemoGateway } from '../support/gateway/demo-gateway.ts'
import { root } from '../support/house/source.ts'
import { hasChromium } from './find-chromium.mjs'

const example = join(root, 'examples/mv3-extension')

/** Resolves as soon as the condition holds in the page. */
const until = (condition: string): string => `new Promise(resolve => {
  const look = () => ${condition} && (observer.disconnect(), resolve())
  const observer = new MutationObserver(look)
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
  look()
})`

interface Shown {
  readonly calls: readonly string[]
  readonly answer: string
  readonly failure: string | null
  readonly status: string
}

const shown = `({
  calls: [...document.querySelectorAll('.call')].map(
    call => call.querySelector('summary').innerText.replaceAll(/\\s+/g, ' ') + ': ' + call.dataset.status),
  answer: [...document.querySelectorAll('.model')].at(-1)?.textContent ?? '',
  failure: document.querySelector('.failure')?.textContent ?? null,
  status: document.getElementById('status').textContent,
})`

describe.skipIf(!hasChromium)('the example extension', () => {
  let directory = ''
  let gateway: DemoGateway
  let chromium: Chromium
  let panel: Context
  let workerUrl: string

  /** Sends a question and waits for the complete answer and its token count. */
  const ask = async (question: string): Promise<Shown> => {
    await panel.evaluate(`document.getElementById('status').textContent = ''`)
    await panel.evaluate(`document.getElementById('question').value = ${JSON.stringify(question)}`)
    await panel.evaluate(`document.getElementById('send').click()`)
    await panel.evaluate(
      until(`document.getElementById('form').dataset.state === 'ready'
        && document.getElementById('status').textContent !== ''`),
    )
    return await panel.evaluate<Shown>(shown)
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'toolwire-example-'))
    execFileSync('npm', ['run', '--silent', 'extension', '--', directory], { cwd: root })
    gateway = await startDemoGateway(join(example, 'toolwire.config.json'))
    const port = new URL(gateway.url).port
    chromium = await startChromium([`--host-resolver-rules=MAP 127.0.0.1:4141 127.0.0.1:${port}`])
    const id = await chromium.loadExtension(directory)
    workerUrl = `chrome-extension://${id}/worker.js`
    panel = await chromium.openPage(`chrome-extension://${id}/panel.html`)
  })

  afterAll(async () => {
    await chromium?.close()
    await gateway?.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  afterEach(() => expect(chromium.takeErrors()).toEqual([]))

  test('The example extension has the origin that its gateway configuration allows.', () => {
    const { allowedOrigins } = JSON.parse(readFileSync(join(example, 'toolwire.config.json'), 'utf8'))
    expect(workerUrl.startsWith(`${allowedOrigins}/`)).toBe(true)
  })

  test.each(['chat', 'responses', 'messages'])(
    'A conversation on %s runs tools in the example extension.',
    async wire => {
      await panel.evaluate(`document.querySelector('[value=${wire}]').click()`)
      const first = await ask('What time is it in Oslo and Tokyo?')
      expect(first.calls).toEqual(['get_time city: "Oslo": ok', 'get_time city: "Tokyo": ok'])
      expect(first.answer).toMatch(/Oslo: time \d\d:\d\d, timeZone Europe\/Oslo.*timeZone Asia\/Tokyo/)
      expect(first.status).toMatch(/^4 tools and this conversation: about \d+ tokens$/)
      const second = await ask(`Save the note “by ${wire}”`)
      expect(second.calls.at(-1)).toBe(`save_note text: "by ${wire}": ok`)
      const third = await ask('Show my notes')
      expect(third.answer).toContain(`by ${wire}`)
      expect(third.failure).toBeNull()
    },
  )

  test('A tool failure is sent to the model and shown in the panel.', async () => {
    const { calls, answer } = await ask('What time is it in Atlantis?')
    expect(calls.at(-1)).toBe('get_time city: "Atlantis": failed')
    expect(answer).toContain('No time zone is named after Atlantis')
  })

  test('A conversation survives a restart of the service worker.', async () => {
    await panel.evaluate(`document.getElementById('start-over').click()`)
    await ask('What time is it in Oslo?')
    await chromium.stop(await chromium.worker(workerUrl))
    await ask('List the open tabs')
    const worker = await chromium.worker(workerUrl)
    const rounds = `chrome.storage.session.get('state').then(({ state }) => state.rounds)`
    expect(await worker.evaluate(rounds)).toBe(4)
  })

  test("The panel follows the browser's light or dark colour scheme.", async () => {
    const backgrounds: string[] = []
    for (const value of ['light', 'dark']) {
      await panel.send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] })
      backgrounds.push(await panel.evaluate('getComputedStyle(document.documentElement).backgroundColor'))
    }
    expect(backgrounds).toEqual(['rgb(247, 246, 243)', 'rgb(23, 24, 28)'])
  })

  test('The page fits into the narrowest side panel.', async () => {
    const narrow = { width: 320, height: 640, deviceScaleFactor: 1, mobile: false }
    await panel.send('Emulation.setDeviceMetricsOverride', narrow)
    expect(await panel.evaluate('document.documentElement.scrollWidth')).toBe(320)
  })

  test('Without a gateway, the panel shows what is missing.', async () => {
    await gateway.stop()
    const { failure } = await ask('Show my notes')
    expect(failure).toContain('toolwire.config.json')
  })
})
