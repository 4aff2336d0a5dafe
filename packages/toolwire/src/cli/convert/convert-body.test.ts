import { describe, expect, test } from 'vitest'
import { toolwire } from '../memory-io.test-helper.ts'

const convert = (value: unknown, ...argv: string[]): ReturnType<typeof toolwire> =>
  toolwire(['convert', ...argv], { stdin: typeof value === 'string' ? value : JSON.stringify(value) })

const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
const result = (id: string, output: string) => ({ type: 'function_call_output', call_id: id, output })
const request = {
  model: 'm',
  input: [{ role: 'user', content: 'Hi' }, call('a'), call('b'), result('b', '2'), result('a', '1')],
}
const chatCall = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })

describe('convert request', () => {
  test('"convert request" converts the complete body.', async () => {
    const { code, stdout, stderr } = await convert(request, 'request', '--from', 'responses', '--to', 'chat')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, tool_calls: [chatCall('a'), chatCall('b')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '2' },
      ],
    })
    expect(stdout).toBe(`${JSON.stringify(JSON.parse(stdout), null, 2)}\n`)
  })

  test('"convert request" names the wire it detected, and fails when nothing shows one.', async () => {
    const guessed = await convert(request, 'request', '--to', 'chat', '--compact')
    expect(guessed.stderr).toBe('Read as responses; name another with --from.\n')
    expect(guessed.stdout.trimEnd()).not.toContain('\n')
    const unknown = await convert({ model: 'm' }, 'request', '--to', 'chat')
    expect([unknown.code, unknown.stdout]).toEqual([2, ''])
    expect(unknown.stderr).toContain('Name it with --from.')
  })

  test('"convert request" reports losses in the order of the input, with the flaws of the text.', async () => {
    const stdin = '{"truncation":"auto","seed":1e999,"input":"Hi","background":true}'
    const { stderr, code } = await convert(stdin, 'request', '--to', 'chat')
    const rows = stderr.split('\n').filter(line => line.startsWith('  '))
    expect(rows.map(row => row.split(/ {2,}/)[3])).toEqual(
      expect.arrayContaining(['truncation', 'seed', 'background']),
    )
    const places = rows.map(row => stdin.indexOf(row.split(/ {2,}/)[3] ?? ''))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(code).toBe(0)
    expect((await convert(stdin, 'request', '--to', 'chat', '--strict')).code).toBe(1)
  })

  test('The flag --pairing decides about calls without results.', async () => {
    const open = { input: [{ role: 'user', content: 'Hi' }, call('a')] }
    const run = async (...argv: string[]) => {
      const { code, stdout } = await convert(open, 'request', '--to', 'chat', '--json', ...argv)
      const { value, diagnostics } = JSON.parse(stdout)
      return [code, value.messages.length, diagnostics.map((found: { code: string }) => found.code)]
    }
    expect(await run()).toEqual([1, 2, ['missing_result']])
    expect(await run('--pairing', 'error')).toEqual([1, 2, ['missing_result']])
    expect(await run('--pairing', 'repair')).toEqual([0, 3, ['result_repaired']])
    expect(await run('--pairing', 'pass')).toEqual([0, 2, []])
  })

  test('"convert request" takes the options for tools.', async () => {
    const body = { input: 'Hi', tools: [{ type: 'local_shell' }] }
    const drop = await convert(body, 'request', '--to', 'chat', '--hosted', 'drop', '--json')
    expect(JSON.parse(drop.stdout).diagnostics).toMatchObject([{ code: 'hosted_tool_omitted' }])
    const emulate = await convert(body, 'request', '--to', 'chat', '--json')
    expect(JSON.parse(emulate.stdout).diagnostics).toMatchObject([{ code: 'hosted_tool_emulated' }])
  })

  test('"convert request" refuses input that is not a request.', async () => {
    const run = (value: unknown): ReturnType<typeof toolwire> => convert(value, 'request', '--to', 'chat')
    for (const [value, message, hint] of [
      [
        { object: 'response', instructions: null, output: [] },
        'an answer, not a request',
        'convert response',
      ],
      ['data: {}\n\n', 'These are server-sent events.', 'convert stream'],
      ['7', '<stdin>: expected a request, which is an object.', ''],
    ] as const) {
      const { code, stdout, stderr } = await run(value)
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(message)
      expect(stderr).toContain(hint)
    }
  })

  test('"convert tools" points to "convert request" when the input is a body.', async () => {
    const { stderr } = await convert(request, 'tools', '--to', 'chat')
    expect(stderr).toContain('"toolwire convert request" converts all of it.')
    expect((await convert({ tools: [] }, 'tools', '--to', 'chat')).stderr).not.toContain('convert request')
  })
})

describe('convert response', () => {
  const calls = [
    { id: 'x', type: 'function', function: { name: 'patch', arguments: '{"input":"*** Begin"}' } },
  ]
  const answer = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: { role: 'assistant', content: null, tool_calls: calls },
      },
    ],
  }
  const asked = { input: 'Hi', tools: [{ type: 'custom', name: 'patch' }], instructions: 'Be brief.' }
  const respond = (files: Record<string, string>, ...argv: string[]): ReturnType<typeof toolwire> =>
    toolwire(['convert', 'response', ...argv], { stdin: JSON.stringify(answer), files })

  test('"convert response" reads the wire of --from and writes the wire of --to.', async () => {
    const { code, stdout, stderr } = await respond({}, '--from', 'chat', '--to', 'messages')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'message',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'x', name: 'patch', input: { input: '*** Begin' } }],
    })
  })

  test('"convert response" detects the wire and names it.', async () => {
    const { stdout, stderr } = await respond({}, '--to', 'responses')
    expect(stderr).toBe('Read as chat; name another with --from.\n')
    expect(JSON.parse(stdout)).toMatchObject({
      object: 'response',
      output: [{ type: 'function_call', name: 'patch' }],
    })
    const unknown = await convert({ hello: 1 }, 'response', '--to', 'chat')
    expect([unknown.code, unknown.stdout]).toEqual([2, ''])
    expect(unknown.stderr).toContain('Name it with --from.')
  })

  test('With --request, an answer has the tools as the client declared them, and echoes the request.', async () => {
    const files = { 'r.json': JSON.stringify(asked) }
    const { code, stdout, stderr } = await respond(
      files,
      '--to',
      'responses',
      '--request',
      'r.json',
      '--json',
    )
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).value).toMatchObject({
      instructions: 'Be brief.',
      tools: asked.tools,
      output: [{ type: 'custom_tool_call', call_id: 'x', name: 'patch', input: '*** Begin' }],
    })
  })

  test("The flag --request takes the client's request, and a request for the upstream is noticed.", async () => {
    const files = {
      'r.json': JSON.stringify({ messages: [], tools: [{ type: 'function', function: { name: 'f' } }] }),
    }
    const { stderr } = await respond(files, '--from', 'chat', '--to', 'responses', '-r', 'r.json')
    expect(stderr).toContain('The tools in r.json look written for chat; they are read as responses')
    for (const [text, reason] of [
      ['[]', 'r.json: expected a request, which is an object.'],
      ['{', 'r.json:1:2: The text ends before the JSON does.'],
    ] as const) {
      const bad = await respond({ 'r.json': text }, '--to', 'responses', '-r', 'r.json')
      expect([bad.code, bad.stdout]).toEqual([2, ''])
      expect(bad.stderr).toContain(reason)
    }
    expect((await respond({}, '--to', 'responses', '-r', 'no.json')).stderr).toContain(
      'no.json: no such file',
    )
  })

  test('The options for tools describe how the request of an answer was converted.', async () => {
    const long = { input: 'Hi', tools: [{ type: 'function', name: 'n'.repeat(50), parameters: {} }] }
    const sent = await convert(long, 'request', '--to', 'chat', '--max-name-length', '20')
    const { name } = JSON.parse(sent.stdout).tools[0].function
    const message = {
      role: 'assistant',
      tool_calls: [{ id: 'x', type: 'function', function: { name, arguments: '{}' } }],
    }
    const { stdout } = await toolwire(
      ['convert', 'response', '--to', 'responses', '-r', 'r.json', '--max-name-length', '20'],
      {
        stdin: JSON.stringify({ ...answer, choices: [{ message, finish_reason: 'tool_calls' }] }),
        files: { 'r.json': JSON.stringify(long) },
      },
    )
    expect(JSON.parse(stdout).output[0].name).toBe('n'.repeat(50))
  })

  test('An error body becomes an error body, which is not a failure of the conversion.', async () => {
    const error = { error: { message: 'slow down', type: 'rate_limit_error', param: null, code: null } }
    const { code, stdout } = await convert(error, 'response', '--to', 'messages')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'error',
      error: { type: 'rate_limit_error', message: 'slow down' },
    })
  })

  test('"convert response" refuses input that is not an answer.', async () => {
    const { code, stderr } = await convert(
      { messages: [] },
      'response',
      '--from',
      'chat',
      '--to',
      'responses',
    )
    expect(code).toBe(2)
    expect(stderr).toContain('This is a request, not an answer.')
    expect(stderr).toContain('"toolwire convert request"')
  })
})
