/** Text of users and models that would like to be more than text, in a real Chromium. */
import { createServer } from 'node:http'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { close, listen } from '../support/gateway/upstream.ts'
import { ask, launch, openPage, type Served, serveInspector } from './stage.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

const hostile =
  '<img src=x onerror="document.title=\'taken\'"> \u001b[31mred\u001b[0m \u202egnp.exe \u061c\u2028 </script><script>document.title="taken"</script>'
const shownAs = ['<img src=x onerror=', '‹U+001B›[31mred', '‹U+202E›gnp.exe', '‹U+061C›‹U+2028›']

/** A model that writes it wherever a model can write. */
const message = {
  role: 'assistant',
  reasoning_content: `Thinking ${hostile}`,
  content: `Writing ${hostile}`,
  tool_calls: [
    {
      id: 'call_1',
      type: 'function',
      function: { name: 'look', arguments: JSON.stringify({ [`at ${hostile}`]: hostile }) },
    },
  ],
}
const answer = {
  id: 'chatcmpl_1',
  object: 'chat.completion',
  created: 1,
  model: `m ${hostile}`,
  choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
}
const { tool_calls: calls, ...words } = message
const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ ...answer, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const stream = [
  chunk(words),
  chunk({ tool_calls: calls.map(call => ({ index: 0, ...call })) }),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
].join('')

describe.skipIf(!hasChromium)('hostile text', () => {
  let browser: Browser
  let served: Served
  let page: Page & { readonly errors: string[] }
  const upstream = createServer((request, response) => {
    let body = ''
    request.on('data', piece => {
      body += piece
    })
    request.on('end', () => {
      const isStreamed = (JSON.parse(body) as { stream?: boolean }).stream === true
      response.setHeader('content-type', isStreamed ? 'text/event-stream' : 'application/json')
      response.end(isStreamed ? stream : JSON.stringify(answer))
    })
  })
  let baseUrl: string

  beforeAll(async () => {
    browser = await launch()
    baseUrl = await listen(upstream)
  })
  afterAll(async () => {
    await browser?.close()
    await close(upstream)
  })
  afterEach(async () => {
    await page?.close()
    await served?.close()
  })

  test.each([true, false])(
    'Whatever a model or a user writes stays text (streamed: %s).',
    async isStreamed => {
      served = await serveInspector({
        upstreams: [{ name: 'hostile', wire: 'chat', baseUrl: `${baseUrl}/v1`, models: ['*'] }],
      })
      page = await openPage(browser)
      const parameters = { type: 'object', properties: {}, description: hostile }
      const id = await ask(
        served.url,
        '/v1/responses',
        {
          model: `asked ${hostile}`,
          stream: isStreamed,
          instructions: hostile,
          input: [
            { role: 'user', content: hostile },
            { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
            { type: 'function_call_output', call_id: 'c', output: hostile },
          ],
          tools: [{ type: 'function', name: 'look', description: hostile, parameters, strict: false }],
        },
        { 'x-toolwire-client': '<b>client</b>' },
      )
      const isText = async (): Promise<void> => {
        const all = (await page.locator('body').textContent()) ?? ''
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be there
        expect(all).not.toMatch(/[\u001b\u061c\u2028\u202e]/)
        expect(await page.locator('img, .stage script, .stage b:text-is("client")').count()).toBe(0)
        expect(await page.title()).toBe('Toolwire inspector')
      }
      for (const tab of ['wires', 'raw', 'timeline', 'context', 'conversation']) {
        await page.goto(`${served.url}/#/x/${id}/${tab}`)
        await page.locator('.view').waitFor()
        await isText()
      }
      for (const place of ['.block.user', '.block.thinking', '.block.assistant', '.call']) {
        const text = (await page.locator(place).allTextContents()).join(' ')
        for (const shown of shownAs) expect(text, place).toContain(shown)
      }
      await page.getByRole('button', { name: 'Copy as' }).click()
      expect(await page.locator('.snippet').textContent()).toContain('‹U+061C›')
      await isText()
      for (const name of ['fetch', 'openai-node']) {
        await page.getByRole('button', { name }).click()
        await isText()
      }
      expect(page.errors).toEqual([])
    },
  )
})
