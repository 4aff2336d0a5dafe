/** The inspector in a real Chromium: when it paints first, and how ten thousand exchanges scroll. */
import { spawn } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { chromiumPath, hasChromium, howToGetChromium } from '../../test/extension/find-chromium.mjs'
import { quantile, spread } from '../lib/stats.mjs'

const command = fileURLToPath(new URL('../../packages/toolwire/bin/toolwire.js', import.meta.url))
const exchanges = 10_000
const atOnce = 50

/** @returns {Promise<undefined | { firstPaint: object, listed: number, frames: object, nodes: number }>} */
export async function runInspector({ quick, say }) {
  if (!hasChromium) {
    say(`inspector: skipped. ${howToGetChromium}`)
    return undefined
  }
  const config = join(mkdtempSync(join(tmpdir(), 'toolwire-bench-inspector-')), 'toolwire.config.json')
  const trace = { entries: 2 * exchanges, bytes: 512 * 1024 * 1024 }
  writeFileSync(config, JSON.stringify({ trace, store: { kind: 'none' }, log: { level: 'error' } }))
  const args = [command, 'serve', '--demo', '--port', '0', '--json', '--config', config]
  const gateway = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] })
  const browser = await chromium.launch({
    executablePath: chromiumPath,
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking'],
  })
  try {
    const url = await new Promise(resolve =>
      gateway.stdout.once('data', line => resolve(JSON.parse(String(line)).url)),
    )
    const firstPaint = await paints(browser, url, quick ? 5 : 25)
    say('inspector: first paint measured')
    await ask(url, exchanges)
    say(`inspector: ${exchanges} exchanges sent`)
    return { firstPaint, ...(await scroll(browser, url)) }
  } finally {
    await browser.close()
    gateway.kill()
  }
}

/** Each in a context of its own, so that nothing is cached. */
async function paints(browser, url, runs) {
  const times = []
  for (let i = 0; i < runs; i++) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    const page = await context.newPage()
    await page.goto(url)
    await page.getByText('Nothing has been asked yet.').waitFor()
    times.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0),
    )
    await context.close()
  }
  return spread(times)
}

async function ask(url, count) {
  let left = count
  const body = JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }] })
  const one = async () => {
    while (left-- > 0) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/v1/chat/completions`, { method: 'POST', headers, body })
      await response.arrayBuffer()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

/** A frame for each step, from the newest exchange to the oldest. */
async function scroll(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const begun = performance.now()
  await page.goto(`${url}/#/?flat`)
  await page.getByText(`${exchanges.toLocaleString('en')} exchanges`).waitFor()
  const listed = performance.now() - begun
  const { times, nodes } = await page.evaluate(async () => {
    const list = document.querySelector('#list')
    const frame = () => new Promise(resolve => requestAnimationFrame(resolve))
    const steps = 300
    const step = (list.scrollHeight - list.clientHeight) / steps
    const found = []
    let before = await frame()
    for (let i = 1; i <= steps; i++) {
      list.scrollTop = i * step
      const now = await frame()
      found.push(now - before)
      before = now
    }
    return { times: found, nodes: document.querySelectorAll('*').length }
  })
  await page.close()
  const frames = { ...spread(times), slow: quantile(times, 0.95), longest: Math.max(...times) }
  return { listed, frames, nodes }
}
