import { describe, expect, it } from 'vitest'
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
    diagnostics: { code: string }[]
  }

describe('convert tools', () => {
  it('writes the converted list to stdout and nothing else there', async () => {
    const { code, stdout, stderr } = await convert([chatTool], '--from', 'chat', '--to', 'responses')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual([responsesTool])
    expect(stdout).toBe(`${JSON.stringify([responsesTool], null, 2)}\n`)
    expect(stderr).toBe('')
  })

  it('reads a file, and stdin as "-"', async () => {
    const text = JSON.stringify([chatTool])
    const file = await toolwire(['convert', 'tools', '--to', 'responses', 'a.json'], {
      files: { 'a.json': text },
    })
    const stdin = await toolwire(['convert', 'tools', '--to', 'responses', '-'], { stdin: text })
    expect(file.stdout).toBe(stdin.stdout)
    expect(JSON.parse(file.stdout)).toEqual([responsesTool])
  })

  it('says which wire it guessed', async () => {
    const { stderr } = await convert([chatTool], '--to', 'responses')
    expect(stderr).toContain('Read as chat')
  })

  it('asks for the wire when nothing shows it', async () => {
    const { code, stderr } = await convert([], '--to', 'responses')
    expect(code).toBe(2)
    expect(stderr).toContain('--from')
  })

  it('writes one line on request', async () => {
    const { stdout } = await convert([chatTool], '--from', 'chat', '--to', 'responses', '--compact')
    expect(stdout).toBe(`${JSON.stringify([responsesTool])}\n`)
  })

  it('takes the tool part of a request body', async () => {
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
    expect(stderr).toContain('tool part')
  })

  it('takes a single tool for a list of one', async () => {
    const { stdout, stderr } = await convert(chatTool, '--to', 'responses')
    expect(JSON.parse(stdout)).toEqual([responsesTool])
    expect(stderr).toContain('a list of one')
  })

  it('shows what changed as an aligned table on stderr', async () => {
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

  it('keeps the table within the terminal', async () => {
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

  it('gives value and diagnostics as JSON, and nothing on stderr', async () => {
    const { code, stdout, stderr } = await convert([search], '--to', 'chat', '--json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({
      value: [],
      diagnostics: [{ code: 'hosted_tool_dropped', severity: 'warning', path: [0] }],
    })
  })

  it('exits with 1 on a loss when asked to', async () => {
    expect((await convert([search], '--to', 'chat')).code).toBe(0)
    expect((await convert([search], '--to', 'chat', '--strict')).code).toBe(1)
    expect((await convert([shell], '--to', 'chat', '--strict')).code).toBe(0)
  })

  it('exits with 1 on an error always, and still writes what it could', async () => {
    const { code, stdout } = await convert([chatTool, null], '--from', 'chat', '--to', 'responses')
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual([responsesTool])
  })
})

describe('the options of the conversion', () => {
  it('--hosted sets one policy for all types, or one for each', async () => {
    const codes = async (...argv: string[]): Promise<string[]> =>
      (await convertJson([shell, search], '--to', 'chat', ...argv)).diagnostics.map(({ code }) => code)
    expect(await codes()).toEqual(['hosted_tool_emulated', 'hosted_tool_dropped'])
    expect(await codes('--hosted', 'drop')).toEqual(['hosted_tool_dropped', 'hosted_tool_dropped'])
    const each = ['--hosted', 'local_shell=drop', '--hosted', 'file_search=pass']
    expect(await codes(...each)).toEqual(['hosted_tool_dropped', 'hosted_tool_passed'])
  })

  it('--unknown', async () => {
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

  it('--native-custom', async () => {
    const custom = { type: 'custom', name: 'c', format: { type: 'text' } }
    const nested = { type: 'custom', custom: { name: 'c', format: { type: 'text' } } }
    expect((await convertJson([custom], '--to', 'chat', '--native-custom')).value).toEqual([nested])
    expect((await convertJson([custom], '--to', 'chat')).value).not.toEqual([nested])
  })

  it('--max-name-length', async () => {
    const long = { ...responsesTool, name: 'n'.repeat(50) }
    const { value } = await convertJson([long], '--to', 'chat', '--max-name-length', '40')
    expect((value as [{ function: { name: string } }])[0].function.name).toHaveLength(40)
  })

  it('--strict-mode and --misplaced-strict', async () => {
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
