/** Tools of a program, from listing them to its end. */
import process from 'node:process'
import type { CallOutcome } from '@toolwire/core'
import { runToolCalls } from '@toolwire/core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { McpServers } from './connect-servers.ts'
import { connectMcpServers } from './connect-servers.ts'
import type { Programs } from './programs.test-helper.ts'
import { createPrograms, gone } from './programs.test-helper.ts'
import { ask, run } from './run-tool.test-helper.ts'
import { pixel } from './sample-server.test-helper.ts'
import type { McpOptions, McpProgram } from './settings.ts'

let programs: Programs
let program: string
let open: McpServers | undefined

beforeAll(async () => {
  programs = createPrograms()
  program = await programs.make('stdio-program.test-helper.ts', 'serve')
})
afterEach(async () => {
  await open?.close()
  open = undefined
})
afterAll(() => programs.remove())

const sample = (mode = '', more: Partial<McpProgram> = {}): McpProgram => ({
  command: process.execPath,
  args: [program, mode],
  ...more,
})

async function connect(
  mode = '',
  options: McpOptions = {},
  more: Partial<McpProgram> = {},
): Promise<McpServers> {
  open = await connectMcpServers({ sample: sample(mode, more) }, options)
  return open
}

const textOf = ({ content }: CallOutcome): string =>
  content.map(part => (part.kind === 'text' ? part.text : `[${part.kind}]`)).join('')

/** Collects the lines of a program; `lineWith` resolves with the first that begins with a text. */
function listen(): { onLog: NonNullable<McpOptions['onLog']>; lineWith(start: string): Promise<string> } {
  const lines: string[] = []
  const waiting: { start: string; resolve(line: string): void }[] = []
  return {
    onLog(_, line) {
      lines.push(line)
      for (const { start, resolve } of waiting) if (line.startsWith(start)) resolve(line)
    },
    lineWith: start =>
      new Promise(resolve => {
        const known = lines.find(line => line.startsWith(start))
        if (known === undefined) waiting.push({ start, resolve })
        else resolve(known)
      }),
  }
}

describe('tools of a program', () => {
  test('The tools of a program are listed with their schemas, annotations and server.', async () => {
    const { tools, problems } = await connect()
    expect(problems).toEqual([])
    expect(tools.find(({ name }) => name === 'sum')).toMatchObject({
      server: 'sample',
      title: 'Sum',
      description: 'Adds numbers.',
      parameters: { type: 'object', required: ['of'] },
      outputSchema: { required: ['total'] },
      annotations: { readOnlyHint: true },
      parallel: true,
      idempotent: true,
    })
    expect(tools.find(({ name }) => name === 'say')?.parallel).toBeUndefined()
  })

  test('All pages of tools are listed.', async () => {
    const all = (await connect()).tools.map(({ name }) => name)
    await open?.close()
    expect((await connect('paged')).tools.map(({ name }) => name)).toEqual(all)
  })

  test('A server that supports only the newest protocol is understood.', async () => {
    const servers = await connect('modern')
    expect(servers.problems).toEqual([])
    expect(textOf(await run(servers, 'say', { a: 1 }))).toBe('You said {"a":1}')
  })

  test('Other output of a program between protocol messages is logged.', async () => {
    const { onLog, lineWith } = listen()
    const servers = await connect('chatty', { onLog })
    expect(await lineWith('Welcome')).toBe('Welcome to the sample server!')
    expect((await run(servers, 'say')).status).toBe('ok')
  })
})

describe('a call', () => {
  const { onLog, lineWith } = listen()
  let servers: McpServers

  beforeAll(async () => {
    servers = await connectMcpServers({ sample: sample() }, { onLog })
  })
  afterAll(() => servers.close())

  test("A call returns the server's result.", async () => {
    const outcome = await run(servers, 'sum', { of: [1, 2, 3] })
    expect(outcome).toMatchObject({
      status: 'ok',
      isError: false,
      value: { structuredContent: { total: 6 } },
    })
    expect(textOf(outcome)).toBe('{"total":6}')
    expect(textOf(await run(servers, 'nothing'))).toBe('(no output)')
  })

  test('A call fails with the message of the tool when the tool reports an error.', async () => {
    const outcome = await run(servers, 'fail')
    expect(outcome).toMatchObject({ status: 'failed', isError: true })
    expect(textOf(outcome)).toBe('The disk is full.')
  })

  test('A call can return an image.', async () => {
    const { content } = await run(servers, 'picture')
    expect(content).toMatchObject([
      { kind: 'text', text: 'Here it is.' },
      { kind: 'image', source: { type: 'data', mediaType: 'image/png', data: pixel } },
    ])
  })

  test('A call fails when its result does not match the output schema.', async () => {
    const { error } = await run(servers, 'sum', { of: [1], wrong: true })
    expect(error).toMatchObject({ code: 'invalid_result', message: expect.stringContaining('/total') })
  })

  test('A call that the server refuses fails with that reason.', async () => {
    const { error } = await run(servers, 'refuse')
    expect(error).toMatchObject({
      code: 'mcp_refused',
      message: 'The MCP server "sample" refused the call: There is no tool refuse.',
    })
  })

  test('A call reports its progress.', async () => {
    const { tools } = servers
    const seen: unknown[] = []
    await runToolCalls([ask('steps')], {
      tools,
      onEvent: event => event.type === 'call-progress' && seen.push(event.data),
    })
    expect(seen).toEqual([
      { progress: 1, total: 2 },
      { progress: 2, total: 2 },
    ])
  })

  test('An aborted call is cancelled at the server, and the next one works.', async () => {
    const abort = new AbortController()
    const calls = runToolCalls([ask('wait')], { tools: servers.tools, signal: abort.signal })
    await lineWith('waiting')
    abort.abort()
    expect(await calls).toMatchObject([{ status: 'cancelled' }])
    await lineWith('taken back')
    expect((await run(servers, 'say')).status).toBe('ok')
  })

  test('A call that exceeds the time limit of its server is ended.', async () => {
    const hurried = await connect('', {}, { timeoutMs: 20 })
    expect(await run(hurried, 'wait')).toMatchObject({ status: 'timed_out', error: { code: 'timeout' } })
  })

  test('A tool can be called without a run.', async () => {
    const { tools } = servers
    const say = tools.find(({ name }) => name === 'say')
    expect(await say?.handler?.({ a: 1 })).toEqual({
      content: [{ type: 'text', text: 'You said {"a":1}' }],
      isError: false,
    })
  })

  test('A call can return a long result.', async () => {
    const length = 20_000_000
    const { tools } = servers
    const long = tools.find(({ name }) => name === 'long')
    const result = (await long?.handler?.({ length })) as { content: { text: string }[] }
    expect(result.content[0]?.text.length).toBe(length)
  })
})

describe('a program', () => {
  test('A program gets its configured environment and only harmless variables of the parent.', async () => {
    process.env.TOOLWIRE_TEST_SECRET = 'secret'
    const servers = await connect('', {}, { env: { FOR_THE_SERVER: '1' } })
    delete process.env.TOOLWIRE_TEST_SECRET
    const names = textOf(await run(servers, 'environment')).split(' ')
    expect(names).toContain('FOR_THE_SERVER')
    expect(names).toContain('PATH')
    expect(names).not.toContain('TOOLWIRE_TEST_SECRET')
  })

  test('A program that dies fails its call with its last output, and is restarted for the next call.', async () => {
    const servers = await connect()
    const before = textOf(await run(servers, 'start-id'))
    const { error } = await run(servers, 'die')
    expect(error).toMatchObject({
      code: 'mcp_connection_lost',
      message:
        'The connection to the MCP server "sample" broke during the call. It ended with exit code 3. ' +
        'What the call did until then may have had effects. The next call connects again.',
    })
    expect(servers.problems[0]?.message).toMatch(/exit code 3\. Its last words: .* \| {2}\[31mout of memory$/)
    const [a, b] = await Promise.all([run(servers, 'start-id'), run(servers, 'start-id')])
    expect(textOf(a)).not.toBe(before)
    expect(textOf(b)).toBe(textOf(a))
    expect(servers.problems).toEqual([])
  })

  test('The tools of a program are listed again when they change.', async () => {
    let changed = (): void => {}
    const change = new Promise<void>(resolve => {
      changed = resolve
    })
    const servers = await connect('', { onChange: () => changed() })
    expect(servers.tools.map(({ name }) => name)).not.toContain('grown')
    await run(servers, 'grow')
    await change
    expect(servers.tools.map(({ name }) => name)).toContain('grown')
  })

  test.each([
    [
      'it does not exist',
      { command: 'no-such-program-here' },
      ['there is no program "no-such-program-here"', 'Check its "command"'],
    ],
    ['its folder is missing', { cwd: '/no/such/folder' }, ['or no folder "/no/such/folder"']],
    [
      'it ends immediately',
      { mode: 'broken' },
      ['did not come up', 'It ended with exit code 7.', 'No licence found.'],
    ],
  ])(
    'A program is reported as a problem when %s, and the others work.',
    async (_, { mode = '', ...more }: Partial<McpProgram> & { mode?: string }, words) => {
      open = await connectMcpServers({ bad: sample(mode, more), good: sample() })
      expect(open.problems).toMatchObject([{ server: 'bad' }])
      for (const word of words) expect(open.problems[0]?.message).toContain(word)
      expect((await run(open, 'say')).status).toBe('ok')
    },
  )

  test('A program that never answers is reported as a problem.', async () => {
    const { problems } = await connect('silent', { connectTimeoutMs: 20, graceMs: 1 })
    expect(problems).toMatchObject([{ server: 'sample', message: expect.stringContaining('timed out') }])
  })

  test('close() ends a program and everything that it started.', async () => {
    const { onLog, lineWith } = listen()
    const servers = await connect('stubborn', { onLog, graceMs: 1 })
    const pids = (await lineWith('pids ')).split(' ').slice(1).map(Number)
    expect(pids).toHaveLength(2)
    await servers.close()
    await Promise.all(pids.map(gone))
    expect((await run(servers, 'say')).error).toMatchObject({ code: 'mcp_closed' })
  })
})
