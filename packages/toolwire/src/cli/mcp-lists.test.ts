/** What an MCP server answers to `tools/list`, in every command that reads tools. */
import { describe, expect, test } from 'vitest'
import { toolwire } from './memory-io.test-helper.ts'

const inputSchema = { type: 'object', properties: { city: { type: 'string' } } }
const tool = { name: 'weather', description: 'Tells the weather', inputSchema }
const inputs: readonly (readonly [what: string, value: unknown])[] = [
  ['a message', { jsonrpc: '2.0', id: 1, result: { tools: [tool] } }],
  ['a result', { tools: [tool] }],
  ['a list', [tool]],
  ['one tool', tool],
]
const run = (argv: readonly string[], value: unknown) => toolwire(argv, { stdin: JSON.stringify(value) })
const chat = {
  type: 'function',
  function: { name: 'weather', description: 'Tells the weather', parameters: inputSchema },
}

describe.each(inputs)('%s', (_, value) => {
  test('"convert tools" writes its tools, recognised or named.', async () => {
    for (const more of [[], ['--from', 'mcp']]) {
      const { code, stdout } = await run(['convert', 'tools', '--to', 'chat', ...more], value)
      expect([code, JSON.parse(stdout)]).toEqual([0, [chat]])
    }
  })

  test('"lint" checks it for every wire, and finds what is wrong.', async () => {
    const sound = await run(['lint'], value)
    expect([sound.code, sound.stderr]).toEqual([0, 'Read as mcp; name another with --from.\n'])
    const broken = JSON.parse(JSON.stringify(value).replace('"string"', '"string","enum":[]'))
    const { code, stdout } = await run(['lint', '--format', 'json'], broken)
    const { findings, wire } = JSON.parse(stdout).files[0]
    expect([code, wire]).toEqual([1, 'mcp'])
    expect(findings).toMatchObject([{ code: 'empty_enum', targets: ['chat', 'responses', 'messages'] }])
  })

  test('"diff" shows it beside every wire, and "tokens" counts it on one.', async () => {
    const views = JSON.parse((await run(['diff', '--json'], value)).stdout)
    expect(Object.keys(views)).toEqual(['mcp', 'chat', 'responses', 'messages'])
    expect(views.chat).toEqual({ value: [chat], diagnostics: [] })
    const counted = await Promise.all(
      [value, [chat]].map(input => run(['tokens', '--json', '--wire', 'chat'], input)),
    )
    const [ofMcp, ofChat] = counted.map(({ stdout }) => JSON.parse(stdout))
    expect(ofMcp).toEqual(ofChat)
  })
})

test('An unknown type is found in the schema of a list.', async () => {
  const odd = { tools: [{ ...tool, inputSchema: { type: 'object', properties: { a: { type: 'frob' } } } }] }
  const { code, stdout } = await run(['lint', '--format', 'json', '--target', 'chat'], odd)
  expect([code, JSON.parse(stdout).files[0].findings]).toMatchObject([1, [{ code: 'schema_type_unknown' }]])
})

test('A tool of an MCP server among those of a wire is reshaped by --fix.', async () => {
  const { code, stdout } = await run(
    ['lint', '--fix'],
    [chat, { ...chat, function: { ...chat.function, name: 'b' } }, { ...tool, name: 'c' }],
  )
  expect([code, JSON.parse(stdout)[2]]).toEqual([0, { ...chat, function: { ...chat.function, name: 'c' } }])
})

test('A request that holds such tools is still a request.', async () => {
  const body = { model: 'm', messages: [{ role: 'user', content: 'hi' }], tools: [tool] }
  const { code, stdout } = await run(['convert', 'request', '--from', 'chat', '--to', 'messages'], body)
  expect([code, JSON.parse(stdout).tools[0].input_schema]).toEqual([0, inputSchema])
})

test('Nothing but tools is read from an MCP server, and nothing is written for one.', async () => {
  expect((await run(['convert', 'request', '--from', 'mcp', '--to', 'chat'], {})).code).toBe(2)
  expect((await run(['convert', 'tools', '--to', 'mcp'], [])).code).toBe(2)
})

test('"explain" tells that lint is graver where nothing repairs a tool.', async () => {
  const { stdout } = await run(['explain', 'mixed_shape'], '')
  expect(stdout.replaceAll('\n', ' ')).toMatch(/"toolwire lint" it is an error/)
})
