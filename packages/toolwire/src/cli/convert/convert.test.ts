import { describe, expect, test } from 'vitest'
import { toolwire } from '../memory-io.test-helper.ts'

const chatTool = {
  type: 'function',
  function: { name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
}
const responsesTool = {
  type: 'function',
  name: 'f',
  description: 'd',
  strict: false,
  parameters: { type: 'object', properties: {} },
}
const shell = { type: 'local_shell' }
const search = { type: 'file_search', vector_store_ids: ['v'] }

const convert = (value: unknown, ...argv: string[]): ReturnType<typeof toolwire> =>
  toolwire(['convert', 'tools', ...argv], { stdin: JSON.stringify(value) })

const convertJson = async (value: unknown, ...argv: string[]) =>
  JSON.parse((await convert(value, ...argv, '--json')).stdout) as {
    value: unknown
    diagnostics: { code: string; path: (string | number)[] }[]
  }

describe('convert tools', () => {
  test('"convert tools" writes the converted list to stdout and nothing else.', async () => {
    const { code, stdout, stderr } = await convert([chatTool], '--from', 'chat', '--to', 'responses')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([responsesTool])
    expect(stdout).toBe(`${JSON.stringify([responsesTool], null, 2)}\n`)
    expect(stderr).toBe('')
  })

  test('"convert tools" reads a file, and stdin as "-".', async () => {
    const text = JSON.stringify([chatTool])
    const file = await toolwire(['convert', 'tools', '--to', 'responses', 'a.json'], {
      files: { 'a.json': text },
    })
    const stdin = await toolwire(['convert', 'tools', '--to', 'responses', '-'], { stdin: text })
    expect(file.stdout).toBe(stdin.stdout)
    expect(JSON.parse(file.stdout)).toEqual([responsesTool])
  })

  test('"convert tools" names the wire it detected.', async () => {
    const { stderr } = await convert([chatTool], '--to', 'responses')
    expect(stderr).toContain('Read as chat')
  })

  test('"convert tools" fails when nothing shows the wire.', async () => {
    for (const value of [[{}], { tool_choice: 'auto' }]) {
      const { code, stderr } = await convert(value, '--to', 'responses')
      expect(code).toBe(2)
      expect(stderr).toContain('--from')
    }
  })

  test('"convert tools" needs no wire where there are no tools.', async () => {
    const list = await convert([], '--to', 'responses')
    expect([list.code, list.stdout, list.stderr]).toEqual([0, '[]\n', ''])
    const body = await convert({ messages: [] }, '--to', 'responses')
    expect([body.code, body.stdout]).toEqual([0, '{}\n'])
    expect(body.stderr).toContain('There are no tools in this body.')
  })

  test('The flag --compact writes the JSON in one line.', async () => {
    const { stdout } = await convert([chatTool], '--from', 'chat', '--to', 'responses', '--compact')
    expect(stdout).toBe(`${JSON.stringify([responsesTool])}\n`)
  })

  test('"convert tools" takes the tool part of a request body.', async () => {
    const body = {
      model: 'm',
      messages: [],
      tools: [chatTool],
      tool_choice: { type: 'function', function: { name: 'f' } },
      parallel_tool_calls: false,
    }
    const { stdout, stderr } = await convert(body, '--to', 'responses')
    expect(JSON.parse(stdout)).toEqual({
      tools: [responsesTool],
      tool_choice: { type: 'function', name: 'f' },
      parallel_tool_calls: false,
    })
    expect(stderr).toContain(
      'only its tool part (tools, tool_choice, parallel_tool_calls) is converted and written',
    )
  })

  test('"convert tools" takes a single tool as a list of one.', async () => {
    const { stdout, stderr } = await convert(chatTool, '--to', 'responses')
    expect(JSON.parse(stdout)).toEqual([responsesTool])
    expect(stderr).toContain('a list of one')
  })

  test('"convert tools" shows changes as an aligned table on stderr.', async () => {
    const { code, stdout, stderr } = await convert([shell, search], '--from', 'responses', '--to', 'chat')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toHaveLength(1)
    const rows = stderr.split('\n').filter(line => line.startsWith('  '))
    expect(rows.map(row => row.split(/ {2,}/).slice(1, 4))).toEqual([
      ['note', 'hosted_tool_emulated', 'tools[0].type'],
      ['warning', 'hosted_tool_dropped', 'tools[1]'],
    ])
    expect(new Set(rows.map(row => row.indexOf('tools['))).size).toBe(1)
    expect(stderr).toContain('1 warning, 1 note.')
  })

  test('Diagnostics are listed in the order of the input, not of the adaptations.', async () => {
    const custom = { type: 'custom', name: 'c', description: 'd' }
    const { stderr } = await convert([custom, shell, custom], '--to', 'chat')
    const { diagnostics } = await convertJson([custom, shell, custom], '--to', 'chat')
    const rows = [...stderr.matchAll(/tools\[(\d)\]/g)].map(([, index]) => Number(index))
    expect(rows).toEqual([...rows].sort())
    expect(new Set(rows)).toEqual(new Set([0, 1, 2]))
    expect(diagnostics.map(({ path }) => path[0])).toEqual(rows)
  })

  test('A terminal of 0 columns counts as one of unknown width.', async () => {
    const setup = { stdin: JSON.stringify([shell, search]), isTTY: true, env: { NO_COLOR: '1' } }
    const [none, usual] = await Promise.all(
      [0, 100].map(columns => toolwire(['convert', 'tools', '--to', 'chat'], { ...setup, columns })),
    )
    expect(none?.stderr).toBe(usual?.stderr)
  })

  test('The table of diagnostics fits the terminal.', async () => {
    const stdin = JSON.stringify([shell, search])
    for (const columns of [40, 80, 120]) {
      const { stderr } = await toolwire(['convert', 'tools', '--to', 'chat'], {
        stdin,
        isTTY: true,
        columns,
        env: { NO_COLOR: '1' },
      })
      const table = stderr.split('\n').filter(line => line.startsWith('  '))
      expect(Math.max(...table.map(line => line.length)), `${columns}`).toBeLessThanOrEqual(
        Math.max(columns, 52),
      )
    }
  })

  test('The flag --json writes value and diagnostics to stdout, and nothing to stderr.', async () => {
    const { code, stdout, stderr } = await convert([search], '--to', 'chat', '--json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      value: [],
      diagnostics: [{ code: 'hosted_tool_dropped', severity: 'warning', path: [0] }],
    })
  })

  test('With --strict, a loss ends with exit code 1.', async () => {
    expect((await convert([search], '--to', 'chat')).code).toBe(0)
    expect((await convert([search], '--to', 'chat', '--strict')).code).toBe(1)
    expect((await convert([shell], '--to', 'chat', '--strict')).code).toBe(0)
  })

  test('An error always ends with exit code 1, and the rest is still written.', async () => {
    const { code, stdout } = await convert([chatTool, null], '--from', 'chat', '--to', 'responses')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual([responsesTool])
  })
})

describe('what reading changes', () => {
  const tool = (schema: string): string =>
    `{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":${schema}}}}`
  const large = tool('{"id":{"maximum":9223372036854775807}}')
  const twice = tool('{"a":{"type":"string"},"a":{"type":"number"}}')
  const run = (stdin: string, ...argv: string[]): ReturnType<typeof toolwire> =>
    toolwire(['convert', 'tools', '--from', 'chat', '--to', 'responses', ...argv], { stdin })

  test.each([
    ['number_imprecise', large, 'id.maximum'],
    ['duplicate_key', twice, 'a'],
  ])('A text with %s is reported as a loss.', async (code, text, below) => {
    const { stderr } = await run(`[${text}]`)
    expect(stderr).toContain(`warning  ${code}`)
    expect(stderr).toContain(`tools[0].function.parameters.properties.${below}  `)
    expect((await run(`[${text}]`)).code).toBe(0)
    expect((await run(`[${text}]`, '--strict')).code).toBe(1)
    const path = [0, 'function', 'parameters', 'properties', ...below.split('.')]
    for (const stdin of [text, `[${text}]`]) {
      const { diagnostics } = JSON.parse((await run(stdin, '--json')).stdout)
      expect(diagnostics).toMatchObject([{ code, severity: 'warning', path }])
    }
  })

  test('Flaws in the part of a body that is not written are not reported.', async () => {
    const stdin = `{"messages":[{"id":9223372036854775807}],"tools":[${tool('{}')}]}`
    expect((await run(stdin, '--strict')).code).toBe(0)
    expect((await run(`{"tools":[],"tools":[${tool('{}')}]}`, '--strict')).code).toBe(1)
  })

  test('Input that is not UTF-8 is refused.', async () => {
    const stdin = Buffer.from('["caf\u00e9"]', 'latin1')
    const { code, stdout, stderr } = await toolwire(['convert', 'tools', '--to', 'chat'], { stdin })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toBe('error: <stdin>: not UTF-8 at byte 5. Save it as UTF-8.\n')
  })
})

describe('the options of the conversion', () => {
  test('The flag --hosted sets one policy for all types, for one type, or for the other types.', async () => {
    const codes = async (...argv: string[]): Promise<string[]> =>
      (await convertJson([shell, search], '--to', 'chat', ...argv)).diagnostics.map(({ code }) => code)
    expect(await codes()).toEqual(['hosted_tool_emulated', 'hosted_tool_dropped'])
    expect(await codes('--hosted', 'drop')).toEqual(['hosted_tool_omitted', 'hosted_tool_omitted'])
    const each = ['--hosted', 'local_shell=drop', '--hosted', 'file_search=pass']
    expect(await codes(...each)).toEqual(['hosted_tool_omitted', 'hosted_tool_passed'])
    const most = ['--hosted', 'drop', '--hosted', 'file_search=pass']
    expect(await codes(...most)).toEqual(['hosted_tool_omitted', 'hosted_tool_passed'])
  })

  test('The flag --unknown decides about tools that cannot be read.', async () => {
    const { value } = await convertJson(
      [{ type: 'new_thing' }],
      '--from',
      'responses',
      '--to',
      'chat',
      '--unknown',
      'pass',
    )
    expect(value).toEqual([{ type: 'new_thing' }])
  })

  test('The flag --native-custom keeps free-text tools, and is refused where the wire has none.', async () => {
    const custom = { type: 'custom', name: 'c', format: { type: 'text' } }
    const nested = { type: 'custom', custom: { name: 'c', format: { type: 'text' } } }
    expect((await convertJson([custom], '--to', 'chat', '--native-custom')).value).toEqual([nested])
    expect((await convertJson([custom], '--to', 'chat')).value).not.toEqual([nested])
  })

  test('The flag --max-name-length shortens names.', async () => {
    const long = { ...responsesTool, name: 'n'.repeat(50) }
    const { value } = await convertJson([long], '--to', 'chat', '--max-name-length', '40')
    expect((value as [{ function: { name: string } }])[0].function.name).toHaveLength(40)
  })

  test('The flags --strict-mode and --misplaced-strict decide about "strict".', async () => {
    const open = { type: 'object', properties: { a: { type: 'string' } } }
    const tool = { type: 'function', strict: true, function: { name: 'f', parameters: open } }
    const strictOf = async (...argv: string[]): Promise<unknown> => {
      const { value } = await convertJson([tool], '--from', 'chat', '--to', 'responses', ...argv)
      return (value as [{ strict?: boolean }])[0].strict
    }
    expect(await strictOf()).toBe(false)
    expect(await strictOf('--strict-mode', 'omit')).toBe(undefined)
    expect(await strictOf('--strict-mode', 'strictify')).toBe(true)
    expect(await strictOf('--misplaced-strict', 'honour')).toBe(true)
  })
})
