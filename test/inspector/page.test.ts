/** The inspector in a real Chromium, through a real gateway with the demo model. */
import { readFileSync } from 'node:fs'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { ask, codexRequest, launch, openPage, type Served, serveInspector } from './stage.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

const tool = {
  name: 'read_file',
  description: 'Read a file',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
}
const question = { role: 'user', content: 'Use the tool read_file on README.md' }
const messages = (...more: object[]) => ({
  model: 'claude-sonnet-4-6',
  max_tokens: 200,
  stream: true,
  tools: [tool],
  messages: [question, ...more],
})
const result = [
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'README.md' } }],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: '# Toolwire' }] },
]

describe.skipIf(!hasChromium)('the inspector', () => {
  let browser: Browser
  let served: Served
  let page: Page & { readonly errors: string[] }

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
  const show = (id: string, tab = 'conversation') => page.goto(`${served.url}/#/x/${id}/${tab}`)

  test('A streamed tool loop appears while the page is open, as one conversation, and can be read.', async () => {
    await begin()
    await page.goto(served.url)
    await page.getByText('Nothing has been asked yet.').waitFor()
    await ask(served.url, '/v1/messages', messages())
    await page.locator('.exchange').first().waitFor()
    await ask(served.url, '/v1/messages', messages(...result))
    await page.locator('.row.group').waitFor()
    expect(await page.locator('.exchange').count()).toBe(2)
    await page.locator('#list').focus()
    await page.keyboard.press('ArrowDown')
    await page.locator('.call h2').first().waitFor()
    expect(await page.locator('.call h2').first().textContent()).toBe('read_file')
    expect(await page.locator('.call .result').first().textContent()).toContain('# Toolwire')
    expect(page.errors).toEqual([])
  })

  test('The losses of a request of Codex stand at the lines that they are about, with their explanation.', async () => {
    await begin()
    const id = await ask(served.url, '/v1/responses', codexRequest)
    await show(id, 'wires')
    const lost = page.locator('.pinned-line.lost')
    await lost.first().waitFor()
    const lines = await lost.allTextContents()
    expect(lines.some(line => line.includes('web_search'))).toBe(true)
    const pin = page.locator('.pin.warning', { hasText: 'hosted_tool_dropped' })
    await pin.locator('summary').click()
    expect(await pin.textContent()).toContain('tools[1]')
    expect((await pin.locator('p').allTextContents()).join(' ').length).toBeGreaterThan(80)
    await page.getByRole('button', { name: /^Answer/ }).click()
    const answer = page.locator('.sides', { has: page.locator('.sides-head.answer') })
    await answer.locator('.pair-state', { hasText: 'added by the gateway' }).first().waitFor()
    await page.getByRole('button', { name: 'On every wire' }).click()
    await page.locator('.every-wire section').nth(2).waitFor()
    expect(page.errors).toEqual([])
  })

  test('An exchange is replayed, edited and compared.', async () => {
    await begin()
    const id = await ask(served.url, '/v1/responses', codexRequest)
    await show(id)
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.waitForURL(url => url.hash.includes('/x/') && !url.hash.includes(id))
    await page.locator('.facts', { hasText: 'inspector' }).waitFor()
    await page.getByRole('button', { name: 'Edit and send' }).click()
    await page.getByLabel('Wire').selectOption({ label: 'Anthropic Messages' })
    await page.waitForFunction(() =>
      document.querySelector<HTMLTextAreaElement>('textarea.body')?.value.includes('"max_tokens"'),
    )
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.locator('.facts', { hasText: 'messages' }).waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.locator('.exchange').last().click()
    await page.getByRole('button', { name: 'Compare with the one chosen' }).click()
    await page.locator('.compare tr.differs').first().waitFor()
    expect(page.errors).toEqual([])
  })

  test('An exported page opens again without a gateway, and files can be imported.', async () => {
    await begin()
    const id = await ask(served.url, '/v1/responses', codexRequest)
    await show(id)
    const save = async (format: string): Promise<string> => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByRole('button', { name: format }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Save the file' }).click(),
      ])
      return download.path()
    }
    const [html, har, lines] = [await save('One HTML file'), await save('HAR'), await save('JSON lines')]
    const file = await openPage(browser)
    await file.setContent(readFileSync(html, 'utf8'))
    await file.locator('.exchange').first().click()
    await file.locator('.call h2').first().waitFor()
    expect(file.errors).toEqual([])
    await file.close()
    const other = await serveInspector()
    await page.goto(other.url)
    for (const path of [har, lines]) {
      await page.locator('.import input').setInputFiles(path)
      await page.locator('.exchange').first().click()
      await page.getByText('imported', { exact: true }).waitFor()
      await page.goto(other.url)
    }
    await other.close()
    expect(page.errors).toEqual([])
  })

  test('Whatever a model or a user writes stays text.', async () => {
    await begin()
    const hostile =
      '<img src=x onerror="document.title=\'taken\'"> \u001b[31mred\u001b[0m \u202egnp.exe </script><script>document.title="taken"</script>'
    const id = await ask(served.url, '/v1/chat/completions', {
      model: 'demo',
      stream: true,
      messages: [{ role: 'user', content: hostile }],
    })
    for (const tab of ['conversation', 'wires', 'raw', 'timeline', 'context']) {
      await show(id, tab)
      await page.locator('.view').waitFor()
    }
    await show(id)
    const text = (await page.locator('.block.user').textContent()) ?? ''
    expect(text).toContain('<img src=x onerror=')
    expect(text).toContain('‹U+001B›[31mred')
    expect(text).toContain('‹U+202E›gnp.exe')
    expect(await page.locator('img').count()).toBe(0)
    expect(await page.title()).toBe('Toolwire inspector')
    expect(page.errors).toEqual([])
  })

  test('Ten thousand exchanges and a body of ten megabytes put a bounded number of nodes into the page.', async () => {
    await begin()
    for (let i = 0; i < 10_000; i++) {
      const facts = {
        id: `req_${String(i).padStart(6, '0')}`,
        route: 'POST /v1/responses',
        at: 1_700_000_000_000 + i,
        startedAt: 0,
        status: 200,
        model: 'm',
      }
      served.ring.begin(facts).end()
    }
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
    await page.goto(`${served.url}/#/?flat`)
    await page.getByText('10,000 exchanges').waitFor()
    expect(await nodes()).toBeLessThan(2500)
    await page.locator('#list').focus()
    await page.keyboard.press('End')
    await page.locator('#row-req_000000').waitFor()
    expect(await nodes()).toBeLessThan(2500)
    const large = Array.from({ length: 5000 }, (_, i) => ({
      role: i % 2 === 0 ? 'user' : 'assistant',
      content: `${i} ${'x'.repeat(2000)}`,
    }))
    const id = await ask(served.url, '/v1/chat/completions', { model: 'demo', messages: large })
    await show(id, 'raw')
    await page.locator('.tree-line').first().waitFor()
    await page.getByRole('button', { name: 'Unfold' }).click()
    await page.locator('.tree').focus()
    await page.keyboard.press('End')
    await page.locator('.tree-line', { hasText: '4999' }).first().waitFor()
    expect(await nodes()).toBeLessThan(2500)
    expect(page.errors).toEqual([])
  })

  test('Where keys are asked for, a key signs in and shows its own exchanges only.', async () => {
    await begin({ keys: ['key-of-ann', 'key-of-bob'] })
    await ask(served.url, '/v1/responses', codexRequest, { authorization: 'Bearer key-of-ann' })
    await ask(served.url, '/v1/responses', codexRequest, { authorization: 'Bearer key-of-bob' })
    await page.goto(served.url)
    await page.getByLabel('Key').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Key').fill('key-of-ann')
    await page.getByRole('button', { name: 'Sign in' }).click()
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

  test('The filter and the keys lead to an exchange, and its address leads back to it.', async () => {
    await begin()
    await ask(served.url, '/v1/responses', codexRequest)
    await ask(served.url, '/v1/chat/completions', {
      model: 'demo',
      messages: [{ role: 'user', content: 'Hello' }],
    })
    await page.goto(served.url)
    await page.getByText('2 exchanges').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('losses:>0 wire:resp')
    await page.locator('.offers [role=option]', { hasText: 'responses' }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByText('1 of 2 exchanges').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowDown')
    await page.locator('.detail-head').waitFor()
    await page.keyboard.press('2')
    await page.locator('.sides').waitFor()
    const address = page.url()
    await page.goto('about:blank')
    await page.goto(address)
    await page.locator('.sides').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.column-names').waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog').waitFor()
    expect(page.errors).toEqual([])
  })

  test.each(['light', 'dark'] as const)('axe finds nothing in any view, %s.', async scheme => {
    served = await serveInspector()
    const id = await ask(served.url, '/v1/responses', codexRequest)
    const second = await ask(served.url, '/v1/messages', messages())
    await ask(served.url, '/v1/messages', messages(...result))
    page = await openPage(browser, scheme)
    const places = [
      '',
      ...['conversation', 'wires', 'raw', 'timeline', 'context'].map(tab => `x/${id}/${tab}`),
      `compare/${id}/${second}`,
      'playground',
      `playground/${id}`,
      'health',
    ]
    const all: Record<string, string[]> = {}
    for (const place of places) {
      await page.goto(`${served.url}/#/${place}`)
      await page.locator('.view, .list .exchange').first().waitFor()
      await page.waitForLoadState('networkidle').catch(() => {})
      await page.evaluate(axe.source)
      const found = await page.evaluate(async () => {
        const { axe: checker } = globalThis as unknown as {
          axe: {
            run(): Promise<{
              violations: { id: string; nodes: { html: string; failureSummary: string }[] }[]
            }>
          }
        }
        const { violations } = await checker.run()
        return violations.map(
          ({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
        )
      })
      if (found.length > 0) all[place] = found
    }
    expect(all).toEqual({})
  })
})
