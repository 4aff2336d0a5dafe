/** Tools of an HTTP server, with sessions as in older protocols and without, as in the newest. */
import { randomUUID } from 'node:crypto'
import { createMcpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import { runToolCalls } from '@toolwire/core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { McpServers } from './connect-servers.ts'
import { connectMcpServers } from './connect-servers.ts'
import type { HttpServer } from './http-server.test-helper.ts'
import { listenWith } from './http-server.test-helper.ts'
import { ask, run } from './run-tool.test-helper.ts'
import type { SampleOptions } from './sample-server.test-helper.ts'
import { createSampleServer } from './sample-server.test-helper.ts'

type Handler = (request: Request) => Promise<Response>

/** Each session has its own server. */
function withSessions(options: SampleOptions = {}): Handler {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async request => {
    const known = sessions.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request)
    if (request.headers.has('mcp-session-id'))
      return Response.json({ error: 'unknown session' }, { status: 404 })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: id => void sessions.set(id, transport),
    })
    await createSampleServer('sessions', options).connect(transport)
    return transport.handleRequest(request)
  }
}

const withoutSessions = (options: SampleOptions = {}): Handler =>
  createMcpHandler(() => createSampleServer('stateless', options)).fetch

let http: HttpServer
let open: McpServers | undefined

beforeEach(async () => {
  http = await listenWith(() => new Response(null, { status: 503 }))
})
afterEach(async () => {
  await open?.close()
  open = undefined
  await http.close().catch(() => {})
})

async function connect(handler: Handler): Promise<McpServers> {
  http.answerWith(handler)
  open = await connectMcpServers({ web: { url: http.url, headers: { 'x-team': 'blue' } } })
  return open
}

describe.each([
  ['with sessions', withSessions],
  ['without sessions', withoutSessions],
])('a server %s', (_, handlerOf) => {
  test('An HTTP server lists its tools, is called, and receives the configured headers each time.', async () => {
    const servers = await connect(handlerOf({ pageSize: 3 }))
    expect(servers.problems).toEqual([])
    expect(servers.tools.length).toBe(13)
    expect(await run(servers, 'sum', { of: [1, 2] })).toMatchObject({
      status: 'ok',
      value: { structuredContent: { total: 3 } },
      content: [{ kind: 'text', text: '{"total":3}' }],
    })
    expect(await run(servers, 'fail')).toMatchObject({
      isError: true,
      content: [{ text: 'The disk is full.' }],
    })
    expect((await run(servers, 'picture')).content.at(-1)).toMatchObject({ kind: 'image' })
    expect(http.seen.map(headers => headers.get('x-team'))).toEqual(http.seen.map(() => 'blue'))
  })

  test('An HTTP server is told that a call was aborted.', async () => {
    const abort = new AbortController()
    let heard = (): void => {}
    const cancelled = new Promise<void>(resolve => {
      heard = resolve
    })
    const { tools } = await connect(handlerOf({ onWaiting: () => abort.abort(), onCancelled: () => heard() }))
    expect(await runToolCalls([ask('wait')], { tools, signal: abort.signal })).toMatchObject([
      { status: 'cancelled' },
    ])
    await cancelled
  })

  test('The next call reconnects to an HTTP server that was restarted.', async () => {
    const servers = await connect(handlerOf())
    http.answerWith(handlerOf())
    expect((await run(servers, 'say')).status).toBe('ok')
  })

  test('A call fails while the HTTP server is away, and works when it is back.', async () => {
    const handler = handlerOf()
    const servers = await connect(handler)
    const port = Number(new URL(http.url).port)
    await http.close()
    const { error } = await run(servers, 'say')
    // The loss may be noticed before the call or by it.
    expect(error?.code).toMatch(/^mcp_(unreachable|connection_lost)$/)
    expect(error?.message).not.toContain(String(port))
    expect(servers.problems).toMatchObject([
      { server: 'web', message: expect.stringMatching(/fetch failed \(.+\)/) },
    ])
    http = await listenWith(handler, port)
    expect((await run(servers, 'say')).status).toBe('ok')
    expect(servers.problems).toEqual([])
  })
})

test('Changed tools are listed again, also without sessions.', async () => {
  const handler = createMcpHandler(() => createSampleServer('stateless'))
  let lists = 0
  http.answerWith(async request => {
    if ((await request.clone().text()).includes('"tools/list"')) lists += 1
    return handler.fetch(request)
  })
  let changed = (): void => {}
  const change = new Promise<void>(resolve => {
    changed = resolve
  })
  open = await connectMcpServers({ web: { url: http.url } }, { onChange: () => changed() })
  expect(lists).toBe(1)
  handler.notify.toolsChanged()
  await change
  expect(lists).toBe(2)
})

test('Tools with the same name get the prefix of their server, and are called by their original name.', async () => {
  http.answerWith(withoutSessions())
  const { url } = http
  open = await connectMcpServers({ one: { url }, two: { url } }, { taken: ['one_say'] })
  const names = open.tools.map(({ name }) => name)
  expect(new Set(names).size).toBe(26)
  expect(names).toEqual(expect.arrayContaining(['one_sum', 'two_sum', 'one_say_2', 'two_say']))
  expect((await run(open, 'one_say_2')).status).toBe('ok')
  expect((await run(open, 'two_sum', { of: [1] })).status).toBe('ok')
})

test.each([
  [503, 'cannot be reached'],
  [401, 'cannot be reached'],
  [404, 'cannot be reached'],
])(
  'A server that answers with status %i is reported as a problem without secrets.',
  async (status, words) => {
    http.answerWith(() => new Response('No.', { status }))
    const url = `${http.url}?token=hidden`
    open = await connectMcpServers({ web: { url, headers: { authorization: 'Bearer hidden' } } })
    expect(open.tools).toEqual([])
    expect(open.problems).toMatchObject([{ server: 'web', message: expect.stringContaining(words) }])
    expect(open.problems[0]?.message).toContain(http.url)
    expect(open.problems[0]?.message).not.toContain('hidden')
  },
)
