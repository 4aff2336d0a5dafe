/** What people see of a starting gateway: its upstreams, keys, and the port it got. */
import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Setup, Stage } from './environment.test-helper.ts'
import { argumentsOf, createStage, cwd } from './environment.test-helper.ts'
import { listen } from './listen.ts'
import { serve } from './serve.ts'

const running: { readonly stage: Stage; readonly code: Promise<number> }[] = []

afterEach(async () => {
  for (const { stage, code } of running.splice(0)) {
    stage.signal()
    await code
  }
})

interface Started extends Stage {
  readonly code: Promise<number>
  readonly url: string
}

async function start(argv: readonly string[], setup: Setup = {}): Promise<Started> {
  const stage = createStage(setup)
  const store = argv.includes('--store') ? [] : ['--store', 'memory']
  const args = argumentsOf('serve', ['--port', '0', ...store, ...argv])
  const code = serve(args, stage.io, stage.world)
  running.push({ stage, code })
  // A start that fails must fail the test, and not be waited for.
  await Promise.race([stage.until(argv.includes('--quiet') ? 'http' : '# Anthropic Messages'), code])
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stage.printed.stdout)?.[0] ?? ''
  return { ...stage, code, url }
}

const ask = (url: string, body: object, headers: Record<string, string> = {}) =>
  post(`${url}/v1/chat/completions`, { messages: [{ role: 'user', content: 'Hello' }], ...body }, headers)

const post = async (url: string, body: object, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: (await response.json()) as object }
}

describe('what the upstreams have', () => {
  const upstream = { name: 'local', wire: 'chat', baseUrl: 'http://a.test/v1' }
  const files = { 'toolwire.config.json': JSON.stringify({ upstreams: [upstream] }) }
  const listing = (...ids: string[]) => Response.json({ data: ids.map(id => ({ id })) })

  test('The banner shows the models that an upstream lists.', async () => {
    const { printed } = await start([], { files, fetch: async () => listing('a', 'b', 'c', 'd') })
    expect(printed.stdout).toContain('  Upstream   local  chat  http://a.test/v1\n')
    expect(printed.stdout).toContain('4 models: a, b, c, and 1 more\n')
  })

  test('The banner says which model answers every name, where one does.', async () => {
    const { printed } = await start(['--model', 'a'], { files, fetch: async () => listing('a', 'b') })
    expect(printed.stdout).toContain('  Model      a, whatever a request names\n')
  })

  test('With the demo model for want of another, servers on this machine are told of.', async () => {
    const fetch = async (url: string): Promise<Response> =>
      new URL(url).port === '11434' ? listing('a', 'b') : Promise.reject(new TypeError('fetch failed'))
    const { printed, until } = await start([], { fetch })
    await until('To use it')
    expect(printed.stdout).toContain('Ollama answers at http://127.0.0.1:11434/v1: 2 models: a, b\n')
    expect(printed.stdout).toContain('or start with --upstream chat=http://127.0.0.1:11434/v1\n')
  })

  describe('one that cannot be reached', () => {
    const refused = () =>
      new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNREFUSED' }) })
    const answer = { choices: [{ finish_reason: 'stop', message: { role: 'assistant', content: 'Hi' } }] }
    let down = new Set<string>()
    let configured: Setup
    let server: Server

    // Both would answer requests: what is refused is refused because the upstream is switched off.
    beforeEach(async () => {
      down = new Set(['local'])
      server = createServer((_, outgoing) =>
        outgoing.setHeader('content-type', 'application/json').end(JSON.stringify(answer)),
      )
      const port = await listen(server, '127.0.0.1', 0)
      const upstreams = ['local', 'other'].map(name => ({
        name,
        wire: 'chat',
        baseUrl: `http://127.0.0.1:${port}/${name}/v1`,
        models: [name],
      }))
      configured = {
        files: { 'toolwire.config.json': JSON.stringify({ upstreams }) },
        async fetch(url) {
          const name = new URL(url).pathname.split('/')[1] ?? ''
          if (down.has(name)) throw refused()
          return listing(name)
        },
      }
    })
    afterEach(() => void server.close())

    test('It is switched off with a warning that says what to do, the rest serves, and it comes back by itself.', async () => {
      const { printed, repeated, until, url } = await start([], configured)
      expect(printed.stdout).toMatch(
        /nothing answers at \S+\/local\/v1 \(nothing listens there\), trying again\n/,
      )
      expect(printed.stderr).toMatch(
        /^warning: Upstream local is switched off: nothing answers at \S+ \(nothing listens there\)\. Start it, or correct its "baseUrl"; as soon as it answers, it is used again\. The other upstreams are served\.$/m,
      )
      expect(await ask(url, { model: 'local' })).toMatchObject({
        status: 503,
        body: { error: { code: 'upstream_disabled', message: expect.stringContaining('Start it, or') } },
      })
      expect((await ask(url, { model: 'other' })).status).toBe(200)
      const again = repeated.find(({ milliseconds }) => milliseconds === 3_000)
      again?.callback()
      await new Promise(resolve => setImmediate(resolve))
      expect((await ask(url, { model: 'local' })).status).toBe(503)
      down.clear()
      again?.callback()
      await until('local answers now: 1 model: local.')
      expect((await ask(url, { model: 'local' })).status).toBe(200)
    })

    test('The upstreams of a configuration that was read again are looked at too.', async () => {
      const { io, url, hangUp, until, repeated, printed } = await start([], configured)
      const text = String(configured.files?.['toolwire.config.json'])
      down = new Set(['other'])
      await io.writeFile(`${cwd}/toolwire.config.json`, text.replace('["other"]', '["other","new"]'))
      hangUp()
      await until('Upstream other is switched off')
      expect((await ask(url, { model: 'local' })).status).toBe(200)
      expect((await ask(url, { model: 'new' })).status).toBe(503)
      // Whoever was looked for before is looked for no more.
      repeated[0]?.callback()
      down.clear()
      repeated.at(-1)?.callback()
      await until('other answers now')
      expect((await ask(url, { model: 'new' })).status).toBe(200)
      expect(printed.stderr).not.toContain('local answers now')
    })

    test('A slow one is warned of, and asked nevertheless.', async () => {
      const fetch = async () => Promise.reject(new DOMException('', 'TimeoutError'))
      const { printed, url } = await start([], { ...configured, fetch })
      expect(printed.stderr).toContain('Upstream local does not answer at ')
      expect(printed.stderr).not.toContain('switched off')
      expect((await ask(url, { model: 'local' })).status).toBe(200)
    })
  })

  test('A refused key is shown.', async () => {
    const { printed } = await start([], { files, fetch: async () => new Response('', { status: 401 }) })
    expect(printed.stdout).toContain('its key is refused (status 401)\n')
    expect(printed.stderr).toContain('warning: Upstream local refuses its key (status 401). Give it one')
  })

  test.each([
    ['--json', '"level":"warn","message":"'],
    ['--quiet', 'warning: '],
  ])('With %s the warning comes without a banner.', async (flag, head) => {
    const fetch = async (): Promise<Response> => Promise.reject(new Error('it sleeps'))
    const stage = createStage({ files, fetch })
    const argv = ['--port', '0', '--store', 'memory', flag]
    const code = serve(argumentsOf('serve', argv), stage.io, stage.world)
    running.push({ stage, code })
    await stage.until(`${head}Upstream local does not answer at http://a.test/v1 (it sleeps).`)
    expect(stage.printed.stdout.trim().split('\n')).toHaveLength(1)
  })

  test('With --json every line of the log is JSON, also of what is no exchange.', async () => {
    const stage = createStage({ files, fetch: async () => listing('a') })
    const argv = ['--port', '0', '--store', 'memory', '--json']
    const code = serve(argumentsOf('serve', argv), stage.io, stage.world)
    running.push({ stage, code })
    await stage.until('"pid"')
    stage.signal()
    expect(await code).toBe(0)
    const lines = stage.printed.stderr.trim().split('\n')
    expect(lines.map(line => JSON.parse(line) as object)).toContainEqual({
      time: expect.any(String),
      level: 'info',
      message: 'Stopping.',
    })
  })

  test('An upstream without its key is left out and not asked.', async () => {
    const asked: string[] = []
    const fetch = async (url: string): Promise<Response> => {
      asked.push(url)
      return listing('a')
    }
    const upstreams = [
      { name: 'local', wire: 'chat', baseUrl: 'http://a.test/v1' },
      { name: 'far', wire: 'messages', baseUrl: 'http://b.test/v1', apiKeyEnv: 'FAR_KEY', models: ['far-*'] },
    ]
    const { printed } = await start([], {
      files: { 'toolwire.config.json': JSON.stringify({ upstreams }) },
      fetch,
    })
    expect(asked).toEqual(['http://a.test/v1/models'])
    expect(printed.stdout).toContain('left out, see the warning\n')
    expect(printed.stderr).toContain('Upstream far is left out. The environment variable FAR_KEY')
  })
})

describe('on a terminal', () => {
  const terminal = { isTTY: true, stdinIsTTY: true, env: { NO_COLOR: '1' } }
  const startHere = async (setup: Setup = {}): Promise<Started> => {
    const stage = createStage({ ...terminal, ...setup })
    const code = serve(argumentsOf('serve', ['--port', '0', '--store', 'memory']), stage.io, stage.world)
    running.push({ stage, code })
    await Promise.race([stage.until('q quit'), code])
    return { ...stage, code, url: /http:\/\/127\.0\.0\.1:\d+/.exec(stage.printed.stdout)?.[0] ?? '' }
  }

  test('Keys are named, and requests to paste are shown only at the first start.', async () => {
    const later = (await startHere()).printed.stdout
    expect(later).toContain('\n  h help   t last trace   i inspector   r reload   q quit\n')
    expect(later).not.toContain('curl')
    expect((await startHere({ isFirst: true })).printed.stdout.match(/^ {2}curl /gm)).toHaveLength(3)
  })

  test('The keys do what they say.', async () => {
    const { press, printed, until, url, code } = await startHere()
    press('t')
    await until('No exchanges yet.')
    await ask(url, { model: 'demo' })
    // A stray request does not hide it.
    await (await fetch(`${url}/v1/nowhere`)).text()
    press('t')
    await until('  user       Hello\n')
    expect(printed.stdout).toContain('  assistant  ')
    press('H')
    await until('Try it, one line for each wire')
    expect(printed.stdout).toContain('  q  stop, once the requests under way have ended\n')
    press('x')
    press('q')
    expect(await code).toBe(0)
    expect(press('q')).toBe(false)
  })

  test.each([
    ['before a display', { DISPLAY: ':0' }, true],
    ['without a display', {}, false],
    ['over SSH', { DISPLAY: ':0', SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, false],
  ])(
    'The key of the inspector prints its address, and %s a browser is opened or not.',
    async (_, env, opens) => {
      const { press, until, url, opened } = await startHere({ env: { NO_COLOR: '1', ...env } })
      press('i')
      await until(`\n${url}/\n`)
      expect(opened).toEqual(opens ? [`${url}/`] : [])
    },
  )

  test('Ctrl-C stops the gateway.', async () => {
    const { press, code } = await startHere()
    press('\u0003')
    expect(await code).toBe(0)
  })

  test('Other commands learn where the gateway is, until it stops.', async () => {
    const { announced, url, press, code } = await startHere()
    expect(announced).toEqual([{ url, asksForKey: false }])
    press('q')
    await code
    expect(announced).toEqual([])
  })

  test.each(['keys', 'operatorKeys'])(
    'Other commands learn that a gateway with %s asks for one.',
    async name => {
      const files = { 'toolwire.config.json': JSON.stringify({ [name]: ['a-key-for-this-test'] }) }
      expect((await startHere({ files })).announced).toMatchObject([{ asksForKey: true }])
    },
  )
})

test('The usual port is replaced by the next free one when it is taken, and a port that was asked for is not.', async () => {
  const servers = [createServer(), createServer()]
  const listening = (at: number, port: number) =>
    new Promise<void>((resolve, reject) =>
      servers[at]?.once('error', reject).listen(port, '127.0.0.1', () => resolve()),
    )
  // Wherever there are two free ports in a row.
  let port = 0
  for (port = 20_000; ; port += 7) {
    try {
      await listening(0, port)
      await listening(1, port + 1)
      break
    } catch {
      servers[0]?.close()
      servers[0] = createServer()
      servers[1] = createServer()
    }
  }
  const server = createServer()
  try {
    expect(await listen(server, '127.0.0.1', port, true)).toBeGreaterThan(port + 1)
    await expect(listen(createServer(), '127.0.0.1', port)).rejects.toThrow(
      `Port ${port} of 127.0.0.1 is in use.`,
    )
  } finally {
    for (const each of [server, ...servers]) each.close()
  }
})
