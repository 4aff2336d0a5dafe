/** The inspector for whoever does not see it, has no mouse, or has a small screen: in a real Chromium. */
import { defineTool } from '@toolwire/core'
import axe from 'axe-core'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { ask, codexRequest, launch, openPage, type Served, serveInspector } from './stage.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

const readFile = defineTool({
  name: 'read_file',
  description: 'Read a file',
  parameters: {
    type: 'object',
    properties: {
      path: { type: 'string', description: 'Where it lies' },
      mode: { enum: ['text', 'bytes'] },
      lines: { type: 'integer', minimum: 1 },
      strict: { type: 'boolean' },
      ranges: { type: 'array', items: { type: 'integer' } },
    },
    required: ['path'],
  },
  handler: ({ path }) => `# ${String(path)}`,
})
const question = { role: 'user', content: 'Use the tool read_file on README.md' }

/** One thing to look at: where it is, and how to get there from the keyboard or by a click. */
interface Scene {
  readonly name: string
  readonly place: string
  readonly act?: (page: Page) => Promise<unknown>
}

const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()

function scenesOf(lossy: string, looped: string): Scene[] {
  const at = (tab: string): string => `x/${lossy}/${tab}`
  return [
    { name: 'list', place: '' },
    { name: 'flat list', place: '?flat' },
    {
      name: 'filter with its offers',
      place: '',
      act: page => page.locator('#filter').pressSequentially('wire:'),
    },
    { name: 'list without a match', place: '?q=model%3Anone' },
    { name: 'help', place: '', act: page => page.keyboard.press('?') },
    ...['conversation', 'wires', 'raw', 'timeline', 'context'].map(tab => ({ name: tab, place: at(tab) })),
    { name: 'copy dialog', place: at('conversation'), act: press('Copy as') },
    { name: 'export dialog', place: at('conversation'), act: press('Export') },
    { name: 'chosen to compare', place: at('conversation'), act: press('Compare') },
    {
      name: 'explained loss',
      place: at('wires'),
      act: page => page.locator('.pin summary, details summary').first().click(),
    },
    { name: 'answer on two wires', place: at('wires'), act: press('Answer') },
    { name: 'every wire', place: at('wires'), act: press('On every wire') },
    { name: 'raw stream', place: at('raw'), act: press('Upstream’s answer') },
    { name: 'raw text', place: at('raw'), act: press('As text') },
    { name: 'compared', place: `compare/${lossy}/${looped}` },
    { name: 'playground', place: 'playground' },
    {
      name: 'tool form',
      place: 'playground',
      act: page => page.locator('.tool-card summary').first().click(),
    },
    { name: 'edit', place: `playground/${lossy}` },
    { name: 'health', place: 'health' },
    { name: 'absent', place: 'x/req_none/conversation' },
  ]
}

/** What axe finds, a line for each rule. */
async function problems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  return page.evaluate(async () => {
    const { axe: checker } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary: string }[] }[] }>
      }
    }
    const { violations } = await checker.run()
    return violations.map(
      ({ id: rule, nodes }) => `${rule}: ${nodes[0]?.html.slice(0, 200)} ${nodes[0]?.failureSummary}`,
    )
  })
}

/** What a mouse can press and the Tab key does not reach. */
function unreached(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const scope = document.querySelector('dialog[open]') ?? document.body
    const pressed = 'a[href], button, input, select, textarea, summary, [role=option], [role=treeitem]'
    const isShown = (element: Element): boolean => element.getClientRects().length > 0
    // Of a list, a tree or a table one element has the focus, and arrows lead on.
    const isManaged = (element: Element): boolean =>
      element.closest('[role=listbox], [role=tree], [role=grid], [role=tablist]') !== null
    return [...scope.querySelectorAll<HTMLElement>(pressed)]
      .filter(element => isShown(element) && !isManaged(element) && !element.matches(':disabled'))
      .filter(element => element.tabIndex < 0)
      .map(element => element.outerHTML.slice(0, 120))
  })
}

describe.skipIf(!hasChromium)('the inspector', () => {
  let browser: Browser
  let served: Served
  let page: Page & { readonly errors: string[] }
  let scenes: Scene[]

  beforeAll(async () => {
    browser = await launch()
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    await page?.close()
    await served?.close()
  })

  const begin = async (scheme: 'light' | 'dark', width: number): Promise<void> => {
    served = await serveInspector({ tools: [readFile] })
    const lossy = await ask(served.url, '/v1/responses', codexRequest)
    const chat = { model: 'demo', stream: true, messages: [question] }
    scenes = scenesOf(lossy, await ask(served.url, '/v1/chat/completions', chat))
    page = await openPage(browser, scheme)
    await page.setViewportSize({ width, height: 800 })
  }
  const show = async ({ place, act }: Scene): Promise<void> => {
    // Another page first: to go from one place to the same one does nothing.
    await page.goto('about:blank')
    await page.goto(`${served.url}/#/${place}`)
    await page.locator('.view:visible, .exchange:visible, .empty:visible').first().waitFor()
    await expect.poll(() => page.getByText('Loading…').count(), { timeout: 10_000 }).toBe(0)
    await act?.(page)
  }

  test.each([
    ['light', 1280],
    ['dark', 1024],
    ['light', 390],
  ] as const)(
    'In every view, dialog and menu axe finds nothing, nothing is too wide, and the Tab key reaches all: %s, %i pixels.',
    async (scheme, width) => {
      await begin(scheme, width)
      const all: Record<string, unknown> = {}
      for (const scene of scenes) {
        await show(scene)
        const wide = await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth))
        const found = { problems: await problems(page), wide, unreached: await unreached(page) }
        if (found.problems.length + found.unreached.length + wide > 0) all[scene.name] = found
      }
      expect(all).toEqual({})
    },
    240_000,
  )

  test('axe finds nothing in the form where a key is asked for, and in its refusal.', async () => {
    served = await serveInspector({ keys: ['key-of-ann'] })
    page = await openPage(browser)
    await page.goto(served.url)
    await page.getByLabel('Key', { exact: true }).waitFor()
    expect(await problems(page)).toEqual([])
    await page.getByLabel('Key', { exact: true }).fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await problems(page)).toEqual([])
  })

  test('A dialog takes the focus, keeps it, and gives it back, however it is closed.', async () => {
    await begin('light', 1280)
    const focused = () => page.evaluate(() => document.activeElement?.textContent)
    await show({ name: 'copy', place: scenes.find(({ name }) => name === 'copy dialog')?.place ?? '' })
    for (const close of [
      () => page.keyboard.press('Escape'),
      () => page.getByRole('button', { name: 'Close' }).click(),
    ]) {
      await page.getByRole('button', { name: 'Copy as', exact: true }).focus()
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor()
      expect(await page.evaluate(() => document.activeElement?.closest('dialog') !== null)).toBe(true)
      await close()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect(await focused()).toBe('Copy as')
    }
    await page.getByRole('button', { name: 'Export', exact: true }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Save the file' }).press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toBe('Export')
    expect(page.errors).toEqual([])
  })
})
