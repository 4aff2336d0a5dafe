/** Files that the inspector writes, and opens again, in a real Chromium. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasChromium, howToGetChromium } from '../extension/find-chromium.mjs'
import { ask, codexRequest, launch, openPage, type Served, serveInspector } from './stage.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

const formats = { 'One HTML file': '.html', HAR: '.har', 'JSON lines': '.jsonl', Fixture: '.json' } as const

describe.skipIf(!hasChromium)('the files of the inspector', () => {
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

  const begin = async (): Promise<void> => {
    served = await serveInspector()
    page = await openPage(browser)
    const id = await ask(served.url, '/v1/responses', codexRequest)
    await page.goto(`${served.url}/#/x/${id}/conversation`)
  }
  const save = async (format: keyof typeof formats, folder: string): Promise<string> => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save the file' }).click(),
    ])
    expect(download.suggestedFilename()).toMatch(/^toolwire-req_/)
    const path = `${folder}/exported${formats[format]}`
    await download.saveAs(path)
    return path
  }
  const choose = async (format: keyof typeof formats): Promise<void> => {
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByRole('button', { name: format }).click()
  }

  test('A file in any format opens again in another inspector, with the call that the model made.', async () => {
    await begin()
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
    const paths: string[] = []
    for (const format of Object.keys(formats) as (keyof typeof formats)[]) {
      await choose(format)
      paths.push(await save(format, folder))
    }
    const other = await serveInspector()
    for (const path of paths) {
      await page.goto('about:blank')
      await page.goto(other.url)
      await page.locator('.import input').setInputFiles(path)
      await page.locator('.exchange').first().click()
      await page.getByText('imported', { exact: true }).waitFor()
      await page.locator('.call h2', { hasText: 'exec_command' }).first().waitFor()
      await page.keyboard.press('2')
      await page.locator('.pinned-line.lost').first().waitFor()
    }
    await other.close()
    expect(page.errors).toEqual([])
    rmSync(folder, { recursive: true })
  })

  test('The HTML file opens from a disk, without a gateway, and loads nothing.', async () => {
    await begin()
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
    await choose('One HTML file')
    const path = await save('One HTML file', folder)
    const file = await openPage(browser)
    const loaded: string[] = []
    file.on('request', request => loaded.push(new URL(request.url()).protocol))
    await file.goto(pathToFileURL(path).href)
    await file.locator('.exchange').first().click()
    await file.locator('.call h2').first().waitFor()
    for (const [key, place] of [
      ['2', '.sides'],
      ['3', '.tree-line'],
      ['4', '.timeline'],
      ['5', '.view'],
    ] as const) {
      await file.keyboard.press(key)
      await file.locator(place).first().waitFor()
    }
    for (const name of ['Replay', 'On every wire', 'Playground', 'Health'])
      expect(await file.getByText(name).count()).toBe(0)
    await file.getByRole('button', { name: 'Export' }).click()
    const [again] = await Promise.all([
      file.waitForEvent('download'),
      file.getByRole('button', { name: 'Save the file' }).click(),
    ])
    await again.saveAs(`${folder}/again.html`)
    expect(readFileSync(`${folder}/again.html`, 'utf8') === readFileSync(path, 'utf8')).toBe(true)
    expect(new Set(loaded)).toEqual(new Set(['file:']))
    expect(loaded).toHaveLength(1)
    expect(file.errors).toEqual([])
    await file.close()
    rmSync(folder, { recursive: true })
  })

  test('While the gateway is away, an exchange says so in plain words.', async () => {
    await begin()
    await page.locator('.call h2').first().waitFor()
    await page.route('**/reading', route => route.abort())
    await page.reload()
    await page.getByText('The gateway cannot be reached.').waitFor()
  })

  test('On an address that is not secure a request is copied out of the dialog too.', async () => {
    await begin()
    await page.getByRole('button', { name: 'Copy as' }).click()
    const copied = page.evaluate(() => {
      Object.defineProperty(navigator, 'clipboard', { value: undefined })
      return new Promise(resolve =>
        document.addEventListener('copy', () => {
          const { activeElement: area } = document
          resolve(area instanceof HTMLTextAreaElement ? area.value : area?.tagName)
        }),
      )
    })
    await page.getByRole('button', { name: 'Copy', exact: true }).click()
    expect(await copied).toMatch(/^curl /)
  })

  test('What is blanked is neither in the file nor in what is shown of it, and a fixture of nothing is not offered.', async () => {
    await begin()
    const folder = mkdtempSync(join(tmpdir(), 'toolwire-files-'))
    await choose('Fixture')
    await page.getByLabel('what the user said').check()
    expect(await page.getByRole('button', { name: 'Save the file' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'One HTML file' }).click()
    const path = await save('One HTML file', folder)
    expect(readFileSync(path, 'utf8')).not.toContain('Run the tests with')
    const file = await openPage(browser)
    await file.goto(pathToFileURL(path).href)
    await file.locator('.exchange').first().click()
    await file.locator('.block.user', { hasText: 'blanked' }).waitFor()
    for (const [key, place] of [
      ['2', '.view'],
      ['3', '.plain-line'],
    ] as const) {
      await file.keyboard.press(key)
      await file.locator(place).first().waitFor()
    }
    expect(file.errors).toEqual([])
    await file.close()
    rmSync(folder, { recursive: true })
  })
})
