/** Signing in to the inspector, in a real Chromium. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { ask, codexRequest, launch, openPage, type Served, serveInspector } from './stage.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

describe.skipIf(!hasChromium)('the inspector of a gateway that asks for keys', () => {
  let browser: Browser
  let served: Served
  let page: Page

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    await page?.close()
    await served?.close()
  })

  const begin = async (...args: Parameters<typeof serveInspector>): Promise<void> => {
    served = await serveInspector(...args)
    page = await openPage(browser)
  }
  const signIn = async (key: string): Promise<void> => {
    await page.getByLabel('Key', { exact: true }).fill(key)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }
  const isUsed = async (code: string): Promise<boolean> => {
    const answer = await fetch(`${served.url}/toolwire/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
    return answer.status === 401
  }

  test('Where keys are asked for, a key signs in and shows its own exchanges only.', async () => {
    await begin({ keys: ['key-of-ann', 'key-of-bob'] })
    await ask(served.url, '/v1/responses', codexRequest, { authorization: 'Bearer key-of-ann' })
    await ask(served.url, '/v1/responses', codexRequest, { authorization: 'Bearer key-of-bob' })
    await page.goto(served.url)
    await signIn('wrong')
    await page.getByRole('alert').waitFor()
    await signIn('key-of-ann')
    await page.getByText('1 exchange', { exact: true }).waitFor()
    expect(await page.evaluate(() => document.cookie)).toBe('')
    await page.locator('.exchange').click()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByText('2 exchanges').waitFor()
    const code = served.gateway.signInCode('key-of-bob')
    const other = await browser.newContext()
    const linked = await other.newPage()
    await linked.goto(`${served.url}/#code=${code}`)
    await linked.getByText('1 exchange', { exact: true }).waitFor()
    await other.close()
  })

  test('The code of a link works once and leaves the address, also where somebody has signed in already.', async () => {
    await begin({ keys: ['key-of-ann'] })
    await page.goto(served.url)
    await signIn('key-of-ann')
    await page.getByText('Nothing has been asked yet.').waitFor()
    for (const isOpen of [true, false]) {
      const code = served.gateway.signInCode('key-of-ann')
      // With the page open, only the part behind # changes, and nothing is loaded.
      if (!isOpen) await page.goto('about:blank')
      await page.goto(`${served.url}/#code=${code}`)
      await page.waitForURL(url => url.hash === '#/')
      await page.getByText('Nothing has been asked yet.').waitFor()
      await expect.poll(() => isUsed(code ?? '')).toBe(true)
    }
  })

  test('Whoever signs out sees the form again, and the session is of no use any more.', async () => {
    await begin({ keys: ['key-of-ann'] })
    await ask(served.url, '/v1/responses', codexRequest, { authorization: 'Bearer key-of-ann' })
    await page.goto(served.url)
    await signIn('key-of-ann')
    await page.getByText('1 exchange', { exact: true }).waitFor()
    const cookies = await page.context().cookies()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Key', { exact: true }).waitFor()
    expect(await page.locator('.exchange').count()).toBe(0)
    const [{ name = '', value = '' } = {}] = cookies
    const again = await fetch(`${served.url}/toolwire/traces`, { headers: { cookie: `${name}=${value}` } })
    expect(again.status).toBe(401)
  })

  test('Where no key is asked for nobody signs out.', async () => {
    await begin()
    await page.goto(served.url)
    await page.getByText('Nothing has been asked yet.').waitFor()
    expect(await page.getByRole('button', { name: 'Sign out' }).count()).toBe(0)
  })

  test('A link that was used leads to the form, which says so.', async () => {
    await begin({ keys: ['key-of-ann'] })
    await page.goto(`${served.url}/#code=none-such`)
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('has been used')
    expect(new URL(page.url()).hash).toBe('#/')
  })

  test('The playground tells an operator beforehand that nothing can be sent with this key.', async () => {
    await begin({ keys: ['key-of-ann'], operatorKeys: ['key-of-operator'] })
    await page.goto(`${served.url}/#/playground`)
    await signIn('key-of-operator')
    await page.locator('.action-note', { hasText: 'operator’s key' }).waitFor()
    const other = await browser.newContext()
    const client = await other.newPage()
    await client.goto(`${served.url}/#/playground`)
    await client.getByLabel('Key', { exact: true }).fill('key-of-ann')
    await client.getByRole('button', { name: 'Sign in' }).click()
    await client.getByRole('heading', { name: 'Ask a model' }).waitFor()
    expect(await client.locator('.action-note').count()).toBe(0)
    await other.close()
  })
})
