/**
 * The library in a real Chromium, in a page and in the service worker of an extension under the security policy of
 * Manifest V3: the results equal those in Node, and the browser reports no error.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { ScriptFunction } from '@toolwire/core/testing'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Chromium } from '../support/chromium/chromium.ts'
import { startChromium } from '../support/chromium/chromium.ts'
import type { Context } from '../support/chromium/contexts.ts'
import { buildProbe } from '../support/chromium/extension-probe.ts'
import type { ScriptedServer } from '../support/clients/scripted-server.ts'
import { serveScripted } from '../support/clients/scripted-server.ts'
import { conversationFixtures, fixtures } from '../support/fixtures/fixtures.ts'
import { root } from '../support/house/source.ts'
import { wires } from '../support/wires.ts'
import { hasChromium, howToGetChromium } from './find-chromium.mjs'
import { paths, probe } from './probe/probe.ts'

if (!hasChromium) process.stderr.write(`${howToGetChromium}\n`)

/** One valid and one invalid call, or first an output that fails the audit and then one that passes. */
const script: ScriptFunction = ({ results, toolNames }) => {
  const isFirst = results.length === 0
  if (toolNames.includes('palette'))
    return calls({ name: 'palette', arguments: { colors: [isFirst ? 'navy' : '#000080'] } })
  if (!isFirst) return says('Booked — “A-12” it is. 🎭')
  const book = (row: string) => ({ name: 'book', arguments: { row, seats: 2 } })
  return calls(book('A-12'), book('the front row'))
}

const requests = conversationFixtures('requests').map(({ wire, body }) => ({ wire, body }))
const definitions = fixtures.map(({ wire, body }) => ({ wire, body }))

/** The value after a round trip through JSON, as the debugger returns it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

interface ResourceTree {
  readonly frameTree: { readonly resources: readonly { readonly url: string }[] }
}

const evalRefused = `[text => eval(text), text => new Function(text)()].map(run => {
  try { return run('1') } catch (error) { return error.name }
})`

test('The probe uses every published entry point.', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages/core/package.json'), 'utf8'))
  const used = readFileSync(join(root, 'test/extension/probe/probe.ts'), 'utf8')
  const entries = Object.keys(exports).filter(entry => entry !== './package.json')
  for (const entry of entries) expect(used).toContain(` from '${join('@toolwire/core', entry)}'`)
})

describe.skipIf(!hasChromium)('the library in an extension', () => {
  let directory = ''
  let chromium: Chromium
  const places = {} as Record<'page' | 'service worker', Context>
  const servers = {} as Record<Wire, ScriptedServer>

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'toolwire-probe-'))
    await buildProbe(directory)
    for (const wire of wires)
      servers[wire] = await serveScripted(
        createScriptedModel({ wire, script, pieces: { bytes: { seed: 1 } } }),
      )
    chromium = await startChromium()
    const id = await chromium.loadExtension(directory)
    places['service worker'] = await chromium.worker(`chrome-extension://${id}/worker.js`)
    places.page = await chromium.openPage(`chrome-extension://${id}/page.html`)
    await places['service worker'].evaluate(onceExposed)
  })

  afterAll(async () => {
    await chromium?.close()
    for (const server of Object.values(servers)) await server.close()
    rmSync(directory, { recursive: true, force: true })
  })

  afterEach(() => expect(chromium.takeErrors()).toEqual([]))

  test('The page loads a vocabulary only when a counter needs it.', async () => {
    const vocabularies = async (): Promise<string[]> => {
      const { frameTree } = await places.page.send<ResourceTree>('Page.getResourceTree')
      return frameTree.resources.map(({ url }) => url.replace(/.*\//, '')).filter(name => /k_base/.test(name))
    }
    expect(await vocabularies()).toEqual([])
    await places.page.evaluate('probe.countText("o200k_base", "hello")')
    expect(await vocabularies()).toEqual(['o200k_base.js'])
  })

  describe.each(['page', 'service worker'] as const)('%s', place => {
    /** Runs one function of the probe in Chromium and in Node, and returns the result if both agree. */
    const both = async <Name extends keyof typeof probe>(
      name: Name,
      ...args: Parameters<(typeof probe)[Name]>
    ): Promise<Awaited<ReturnType<(typeof probe)[Name]>>> => {
      const there = await places[place].evaluate(`probe.${name}(...${JSON.stringify(args)})`)
      // The compiler does not see that arguments and function come from the same name.
      const call = probe[name] as unknown as (...list: typeof args) => ReturnType<(typeof probe)[Name]>
      const here = await call(...args)
      expect(there).toEqual(plain(here))
      return here
    }

    test(`Requests convert to every wire in a ${place}.`, async () => {
      expect(await both('convertRequests', requests)).toHaveLength(requests.length * 3)
    })

    test.each(wires)(`Streams of %s convert to every wire in a ${place}.`, async wire => {
      const answer = await fetch(`${servers[wire].baseUrl}${paths[wire]}`, {
        method: 'POST',
        body: '{"stream":true}',
      })
      const text = await answer.text()
      for (const converted of await both('convertStream', wire, text)) expect(converted).toContain('book')
    })

    test(`Values are validated in a ${place}, also by patterns that take exponential time elsewhere.`, async () => {
      const properties = { code: { pattern: '^[A-Z]{2}\\d+$' }, evil: { pattern: '^(a+)+$' } }
      const values = [{ code: 'AB12' }, { code: 'ab12' }, { evil: `${'a'.repeat(5000)}b` }]
      const checked = await both('validate', { type: 'object', properties }, values)
      expect(checked.map(({ ok }) => ok)).toEqual([true, false, false])
    })

    test(`Schemas are made strict in a ${place}.`, async () => {
      const { strict } = await both('strictify', { type: 'object', properties: { a: { type: 'string' } } })
      expect(strict).toMatchObject({ required: ['a'], additionalProperties: false })
    })

    test(`Tools are linted in a ${place}.`, async () => {
      const found = await both('lint', definitions)
      expect(found.some(({ findings }) => findings.length > 0)).toBe(true)
    })

    test(`Entry points that take definitions work in a ${place}.`, async () => {
      expect(await both('useDefinitions', servers.chat.baseUrl)).toMatchObject({
        tools: [{ name: 'f' }],
        reason: 'answer',
        frames: 'text/event-stream',
      })
    })

    test(`Diagnostics are explained in a ${place}.`, async () => {
      expect(await both('explain')).toHaveProperty('hosted_tool_dropped')
    })

    test(`The functions of @toolwire/core/openai convert tools in a ${place}.`, async () => {
      const add = { name: 'add', description: 'Adds', parameters: { type: 'object', properties: {} } }
      expect(await both('writeOpenAiTools', [{ type: 'function', function: add }])).toMatchObject([
        { type: 'function', name: 'add' },
      ])
    })

    test(`Values are sampled from schemas in a ${place}.`, async () => {
      for (const value of await both('sample', { type: 'string', pattern: '^[a-f]{3}-\\d+$' }))
        expect(value).toMatch(/^[a-f]{3}-\d+$/)
    })

    test(`Output limits are planned by a policy in a ${place}.`, async () => {
      expect((await both('planTokens', requests)).some(({ changed }) => changed)).toBe(true)
    })

    test.each(['o200k_base', 'cl100k_base'] as const)(
      `Text is counted in %s in a ${place}.`,
      async encoding => {
        expect(await both('countText', encoding, 'hello world')).toBe(2)
      },
    )

    test(`Requests are counted in every encoding in a ${place}.`, async () => {
      expect(await both('countRequests', requests)).toHaveLength(requests.length)
    })

    test.each(wires)(`A streamed conversation on %s runs its tools in a ${place}.`, async wire => {
      const { text, outcomes, events } = await both('converse', wire, servers[wire].baseUrl)
      expect(text).toBe('Booked — “A-12” it is. 🎭')
      expect(outcomes[0]?.map(({ status }) => status)).toEqual(['ok', 'failed'])
      expect(events.filter(type => type === 'text-delta').length).toBeGreaterThan(1)
    })

    test.each(wires)(
      `A step on %s is repeated in a ${place} until its output passes the audits.`,
      async wire => {
        const { output, attempts } = await both('step', wire, servers[wire].baseUrl)
        expect(output).toEqual({ colors: ['#000080'] })
        expect(attempts.map(({ length }) => length)).toEqual([1, 0])
      },
    )

    test(`The security policy of a ${place} blocks and reports the evaluation of text.`, async () => {
      expect(await places[place].evaluate(evalRefused)).toEqual(['EvalError', 'EvalError'])
      expect(chromium.takeErrors().join()).toContain('ContentSecurityPolicyIssue')
    })
  })
})

/** A worker accepts expressions before its script has run. */
const onceExposed = `new Promise(resolve => {
  if ('probe' in globalThis) resolve()
  else Object.defineProperty(globalThis, 'probe', {
    configurable: true,
    set(value) {
      Object.defineProperty(globalThis, 'probe', { value })
      resolve()
    },
  })
})`
