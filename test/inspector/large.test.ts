/** Much of everything: the work of the page is counted, since times differ from machine to machine. */
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { ask, launch, openPage, type Served, serveInspector } from './stage.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

describe.skipIf(!hasChromium)('the inspector with much in it', () => {
  let browser: Browser
  let served: Served
  let page: Page & { readonly errors: string[] }
  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser.close())
  afterEach(async () => {
    await page.close()
    await served.close()
  })

  const begin = async (): Promise<void> => {
    served = await serveInspector()
    page = await openPage(browser)
  }
  const nodes = (): Promise<number> => page.evaluate(() => document.querySelectorAll('*').length)
  const record = (i: number): void => {
    const id = `req_${String(i).padStart(6, '0')}`
    const at = 1_700_000_000_000 + i
    served.ring.begin({ id, route: 'POST /v1/responses', at, startedAt: 0, status: 200, model: 'm' }).end()
  }

  test('Of ten thousand exchanges the page draws those that are seen, and of each event of the feed what it changes.', async () => {
    await begin()
    for (let i = 0; i < 10_000; i++) record(i)
    await page.goto(`${served.url}/#/?flat`)
    await page.getByText('10,000 exchanges').waitFor()
    expect(await nodes()).toBeLessThan(2500)
    const changed = await page.evaluate(() => {
      const work = { rows: 0 }
      new MutationObserver(mutations => {
        for (const { addedNodes } of mutations)
          for (const node of addedNodes) if ((node as Element).matches('.exchange')) work.rows++
      }).observe(document.querySelector('#list') ?? document, { childList: true, subtree: true })
      Object.assign(globalThis, { work })
      return work.rows
    })
    expect(changed).toBe(0)
    for (let i = 10_000; i < 10_020; i++) {
      record(i)
      await page.locator(`#row-req_0${i}`).waitFor()
    }
    const drawn = await page.evaluate(() => (globalThis as unknown as { work: { rows: number } }).work.rows)
    expect(drawn).toBeLessThan(100)
    await page.locator('#list').focus()
    await page.keyboard.press('End')
    await page.locator('#row-req_000000').waitFor()
    expect(await nodes()).toBeLessThan(2500)
    expect(page.errors).toEqual([])
  })

  test('A body of ten megabytes is a tree, a search through it goes on between frames, and the last one asked for wins.', async () => {
    await begin()
    const messages = Array.from({ length: 12_000 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${i} ${'x'.repeat(800)}`,
    }))
    const id = await ask(served.url, '/v1/chat/completions', { model: 'demo', messages })
    await page.goto(`${served.url}/#/x/${id}/raw`)
    await page.locator('.tree-line').first().waitFor()
    await page.getByRole('button', { name: 'Unfold', exact: true }).click()
    await page.locator('.tree').focus()
    await page.keyboard.press('End')
    await page.locator('.tree-line', { hasText: '11999 xxx' }).waitFor()
    expect(await nodes()).toBeLessThan(2500)
    await page.evaluate(() => {
      const status = document.querySelector('.tree-bar [role=status]') as Element
      const told: string[] = []
      new MutationObserver(() => told.push(status.textContent ?? '')).observe(status, {
        childList: true,
        characterData: true,
        subtree: true,
      })
      Object.assign(globalThis, { told })
    })
    const search = page.getByLabel('Search keys and values')
    await search.fill('yyy')
    await search.fill('11990')
    await page.locator('.tree-bar', { hasText: '1 of 1' }).waitFor()
    await page.locator('.tree-line.active', { hasText: '11990 xxx' }).waitFor()
    const told = await page.evaluate(() => (globalThis as unknown as { told: string[] }).told)
    expect(told.filter(text => text.includes('searching')).length).toBeGreaterThan(0)
    expect(told).not.toContain('nothing found')
    expect(page.errors).toEqual([])
  })
})
