/** The inspector in a real Chromium, through a real gateway with the demo model. */
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { createMcpHandler } from '@modelcontextprotocol/server'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connectMcpServers } from '../../packages/toolwire/src/mcp/connect-servers.ts'
import { listenWith } from '../../packages/toolwire/src/mcp/http-server.test-helper.ts'
import { createSampleServer } from '../../packages/toolwire/src/mcp/sample-server.test-helper.ts'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { root } from '../support/house/source.ts'
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

const built = (name: string) => readFileSync(`${root}packages/toolwire/dist/inspector/${name}`)

test('The script of the page is at most 90 kB gzip, and nothing of the page is loaded from elsewhere.', () => {
  expect(gzipSync(built('inspector.js')).length).toBeLessThan(90_000)
  const page = built('index.html').toString()
  const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(match => match[1])
  expect(addresses.length).toBeGreaterThan(2)
  for (const address of addresses) expect(address).toMatch(/^(?:\/toolwire\/[\w.]+|#\/)$/)
  expect(built('inspector.css').toString()).not.toMatch(/@import|url\((?!"?data:)/)
})

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

  test('Of a long conversation what is new stands on top; Enter leads into it, to scroll it, and Escape back to the list.', async () => {
    await begin()
    const said = Array.from({ length: 20 }, (_, i) => [
      { role: 'user', content: `Question ${i}. ${'Why? '.repeat(80)}` },
      { role: 'assistant', content: `Answer ${i}. ${'So. '.repeat(80)}` },
    ]).flat()
    const chat = (length: number) => ({ model: 'demo', messages: said.slice(0, length) })
    const helper = { model: 'demo', messages: [{ role: 'user', content: 'A helper asks' }] }
    const session = { session_id: 'one-session' }
    await ask(served.url, '/v1/chat/completions', chat(37), session)
    await ask(served.url, '/v1/chat/completions', helper, session)
    const id = await ask(served.url, '/v1/chat/completions', chat(39), session)
    await page.goto(served.url)
    const steps = () => page.locator('.exchange .c-time small').allTextContents()
    await expect.poll(steps).toEqual(['20.1', 'b1.1', '19.1'])
    await page.locator('#list').focus()
    await page.keyboard.press('ArrowDown')
    await page.waitForURL(url => url.hash.includes(id))
    const divider = page.locator('.divider', { hasText: 'New with this request' })
    await divider.waitFor()
    // The answer to the question before is new to the gateway: its model had said something else.
    await page.locator('.divider + .block', { hasText: 'Answer 18' }).waitFor()
    const view = page.locator('.view.conversation')
    const top = () => view.evaluate(element => element.scrollTop)
    const atFirst = await top()
    expect(atFirst).toBeGreaterThan(500)
    await page.keyboard.press('Enter')
    await page.keyboard.press('Home')
    await expect.poll(top).toBe(0)
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('list')
    await page.keyboard.press('Escape')
    await page.locator('.column-names').waitFor()
    expect(page.errors).toEqual([])
  })

  test('A long text in a tree can be read in full.', async () => {
    await begin()
    const content = `First line\n${'word '.repeat(100)}the last word`
    const id = await ask(served.url, '/v1/chat/completions', {
      model: 'demo',
      messages: [{ role: 'user', content }],
    })
    await show(id, 'raw')
    await page.locator('.tree-line', { hasText: 'First line' }).click()
    expect(await page.locator('.tree-text').textContent()).toBe(content)
    await page.keyboard.press('ArrowUp')
    await page.locator('.tree-text').waitFor({ state: 'detached' })
    expect(page.errors).toEqual([])
  })

  test('On a phone too, the lines of a tree show what their values are.', async () => {
    await begin()
    const id = await ask(served.url, '/v1/chat/completions', {
      model: 'demo',
      stop: [],
      messages: [{ role: 'user', content: 'Hello' }],
    })
    await page.setViewportSize({ width: 390, height: 800 })
    await show(id, 'raw')
    const lineOf = (key: string) => page.locator('.tree-line', { hasText: key }).first()
    await lineOf('messages').waitFor()
    // Without the text of what is not displayed.
    expect(await lineOf('messages').innerText()).toMatch(/messages\s*\[/)
    expect(await lineOf('stop').innerText()).toMatch(/stop\s*\[\]/)
    expect(await lineOf('messages').locator('.value').boundingBox()).toMatchObject({
      width: expect.toSatisfy((width: number) => width > 5),
    })
    expect(page.errors).toEqual([])
  })

  test('A folded conversation is reached and unfolded by keys, also where nothing was chosen yet.', async () => {
    await begin()
    await ask(served.url, '/v1/messages', messages())
    await ask(served.url, '/v1/messages', messages(...result))
    await page.goto(served.url)
    await page.locator('.row.group').click()
    await page.locator('.exchange').first().waitFor({ state: 'detached' })
    await page.locator('#list').focus()
    await page.keyboard.press('ArrowDown')
    const active = await page.locator('#list').getAttribute('aria-activedescendant')
    expect(active).toBe(await page.locator('.row.group.active').getAttribute('id'))
    await page.keyboard.press('ArrowRight')
    await page.locator('.exchange').nth(1).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('.exchange.selected').waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.locator('.row.group.active').waitFor()
    expect(await page.locator('.exchange').count()).toBe(0)
    await page.keyboard.press('Enter')
    await page.locator('.exchange').nth(1).waitFor()
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

  test('A loss far down a long request stands at its line without asking for more.', async () => {
    await begin()
    const properties = Object.fromEntries(
      Array.from({ length: 200 }, (_, i) => [`field_${i}`, { type: 'string', description: 'x'.repeat(90) }]),
    )
    const far = { type: 'function', name: 'far', parameters: { type: 'object', properties }, strict: false }
    const said = Array.from({ length: 250 }, (_, i) => ({ role: 'user', content: `Line ${i}` }))
    const id = await ask(served.url, '/v1/responses', {
      ...codexRequest,
      input: said,
      tools: [{ ...far, defer_loading_in_vain: true }, ...codexRequest.tools],
    })
    await show(id, 'wires')
    const lost = page.locator('.pinned-line.lost', { hasText: 'defer_loading_in_vain' })
    await lost.waitFor()
    await page.locator('.pinned-line.lost', { hasText: 'web_search' }).first().waitFor()
    expect(await page.locator('.pinned-line').count()).toBeLessThan(1000)
    expect(page.errors).toEqual([])
  })

  test('An exchange is replayed with the headers of its client, edited and compared.', async () => {
    await begin()
    const codex = { ...codexRequest, instructions: 'Use sk-proj-abcdefghijklmnopqrstuvwxyz0123456789.' }
    const id = await ask(served.url, '/v1/responses', codex, { 'openai-beta': 'something' })
    await show(id)
    await page.locator('.action-note', { hasText: 'in place of keys' }).waitFor()
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.waitForURL(url => url.hash.includes('/x/') && !url.hash.includes(id))
    const again = await fetch(`${served.url}/toolwire/traces/${page.url().split('/').at(-2)}`)
    expect(await again.text()).toContain('"openai-beta":"something"')
    await page.locator('.facts', { hasText: 'inspector' }).waitFor()
    await page.getByRole('button', { name: 'Edit and send' }).click()
    await page.getByRole('combobox', { name: 'Wire' }).selectOption({ label: 'Anthropic Messages' })
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

  test('Of a request that was kept in part there is a tree, and it is said why it cannot be sent again.', async () => {
    await begin({}, { viewBytes: 2000 })
    const content = 'x'.repeat(3000)
    const id = await ask(served.url, '/v1/chat/completions', {
      model: 'demo',
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'user', content },
      ],
    })
    await show(id, 'raw')
    await page.locator('.tree-line', { hasText: 'messages' }).waitFor()
    await page.locator('.action-note', { hasText: 'trace.viewBytes' }).waitFor()
    expect(await page.getByRole('button', { name: 'Replay' }).count()).toBe(0)
    await show(id, 'conversation')
    await page.locator('.divider', { hasText: 'not kept' }).waitFor()
    await show(id, 'wires')
    await page.getByText('Only the beginning of the request was kept').waitFor()
    await show(id, 'context')
    await page.getByText('what was not kept').waitFor()
    expect(page.errors).toEqual([])
  })

  test('A continued request shows what was said before it, and its timeline every step, on a phone too.', async () => {
    await begin({ store: createMemoryStore() })
    const first = await fetch(`${served.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', input: 'Remember the number 42' }),
    })
    const { id: previous_response_id } = (await first.json()) as { id: string }
    const id = await ask(served.url, '/v1/responses', {
      model: 'demo',
      stream: true,
      input: 'Which number?',
      previous_response_id,
    })
    await page.setViewportSize({ width: 390, height: 800 })
    await show(id)
    await page.getByText('New with this request').waitFor()
    expect(await page.locator('.block.user .text').allTextContents()).toEqual([
      'Remember the number 42',
      'Which number?',
    ])
    await show(id, 'timeline')
    await page.locator('.timeline tfoot').waitFor()
    const text = (await page.locator('.timeline').textContent()) ?? ''
    for (const word of ['key, place and reading', 'conversion', 'waiting for the answer', 'the answer comes'])
      expect(text).toContain(word)
    for (const place of [
      '',
      `#/x/${id}/wires`,
      `#/x/${id}/raw`,
      `#/x/${id}/context`,
      '#/health',
      '#/playground',
    ]) {
      await page.goto(`${served.url}/${place}`)
      await page.locator('.view:visible, .exchange:visible').first().waitFor()
      const wide = await page.evaluate(() => document.documentElement.scrollWidth)
      expect(wide, place).toBeLessThanOrEqual(390)
    }
    expect(page.errors).toEqual([])
  })

  test('A tool of an MCP server runs with a form made from its schema, and a call that fails says why.', async () => {
    const http = await listenWith(createMcpHandler(() => createSampleServer('sample')).fetch)
    const servers = await connectMcpServers({ sample: { url: http.url } })
    await begin({ tools: servers.tools })
    await page.goto(`${served.url}/#/playground`)
    const card = (name: string) => page.locator('.tool-card', { has: page.getByText(name, { exact: true }) })
    await card('sum').locator('summary').click()
    await page.getByLabel('of *').fill('[20, 22]')
    await card('sum').getByRole('button', { name: 'Run' }).click()
    await card('sum').locator('.result', { hasText: '42' }).waitFor()
    await card('fail').locator('summary').click()
    await card('fail').getByRole('button', { name: 'Run' }).click()
    await card('fail').locator('.result.failed').waitFor()
    await card('picture').locator('summary').click()
    await card('picture').getByRole('button', { name: 'Run' }).click()
    const picture = card('picture').getByRole('img', { name: 'As the tool returned it' })
    await picture.waitFor()
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1)
    expect(page.errors).toEqual([])
    await servers.close()
    await http.close()
  })

  test('Any body that is pasted stands on every wire, with what each of them loses.', async () => {
    await begin()
    await page.goto(`${served.url}/#/playground`)
    const form = page.locator('.any-body')
    const body = form.getByLabel('Body')
    await body.fill('{"nothing": "known"}')
    await form.getByRole('button', { name: 'Show on every wire' }).click()
    await form.getByText('It is not clear which wire').waitFor()
    page.errors.splice(0)
    await body.fill(JSON.stringify(codexRequest))
    await form.getByRole('button', { name: 'Show on every wire' }).click()
    await form.locator('.every-wire section').nth(2).waitFor()
    expect(await form.locator('.every-wire h2').first().textContent()).toContain('responses')
    await form.locator('.pin.warning', { hasText: 'hosted_tool_dropped' }).first().waitFor()
    await form.getByLabel('Of the wire').selectOption('messages')
    await body.fill('{"model":')
    await form.getByText('This is not valid JSON.').waitFor()
    expect(page.errors).toEqual([])
  })

  test('The health page follows the gateway while it is open.', async () => {
    let servers: object[] = []
    const about = () => ({ mcp_servers: servers })
    await begin({ inspector: { readFile: built, about } })
    await page.goto(`${served.url}/#/health`)
    await page.getByRole('heading', { name: 'Upstreams' }).waitFor()
    expect(await page.getByRole('heading', { name: 'MCP servers' }).count()).toBe(0)
    servers = [{ name: 'late', tools: 2, problems: [] }]
    await page.locator('li', { hasText: 'late' }).waitFor({ timeout: 12_000 })
    expect(page.errors).toEqual([])
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
})
