import { describe, expect, test } from 'vitest'
import { toolwire } from '../memory-io.test-helper.ts'

const chatTool = (schema: string, beside = ''): string =>
  `{"type":"function",${beside}"function":{"name":"f","description":"d","parameters":${schema}}}`
const upper = chatTool('{"type":"object","properties":{"a":{"type":"STRING"}}}')
const fixable = `[${upper}]`
const lower = (text: string): string => text.replace('STRING', 'string')

const fix = async (text: string, ...argv: string[]): Promise<string> => {
  const { files } = await toolwire(['lint', '--fix', ...argv, 'a.json'], { files: { 'a.json': text } })
  return files['a.json'] ?? ''
}

describe('--fix', () => {
  test('"lint --fix" changes only what it repairs.', async () => {
    const text = `[\n\t{"type" : "function",\n\n   "function":{ "name":"f",  "description": "\\u00e9 1.0" ,"parameters":{"type":"object","properties":{"a":{ "type":"STRING" , "minimum": 1.0} }} } , "x": 1.0 }\n]\n\n`
    expect(await fix(text)).toBe(lower(text))
    expect(await fix(`\ufeff${text}`)).toBe(`\ufeff${lower(text)}`)
  })

  test('"lint --fix" does not write a file that has nothing to repair.', async () => {
    const sound = lower(fixable)
    const { written, stdout } = await toolwire(['lint', '--fix', 'a.json'], { files: { 'a.json': sound } })
    expect(written).toEqual([])
    expect(stdout).toBe('No problems in 1 file.\n')
  })

  test('"lint --fix" reports a file that cannot be written, and does not count it as repaired.', async () => {
    const argv = ['lint', '--fix', '--from', 'chat', 'a.json']
    const { code, stdout, stderr } = await toolwire(argv, { files: { 'a.json': fixable }, readOnly: true })
    expect([code, stdout, stderr]).toEqual([2, '', 'error: a.json: permission denied\n'])
  })

  test('"lint --fix" repairs in rounds until nothing is left.', async () => {
    const flat = `[
  {
    "type": "function",
    "name": "f",
    "description": "d",
    "parameters": { "type": "object", "properties": { "city": { "type": "STRING" } } }
  }
]
`
    const once = await fix(flat, '--from', 'chat')
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    expect(JSON.parse(once)).toEqual([
      { type: 'function', function: { name: 'f', description: 'd', parameters } },
    ])
    expect(await fix(once, '--from', 'chat')).toBe(once)
    const { code, stdout } = await toolwire(['lint'], { stdin: once })
    expect([code, stdout]).toEqual([0, 'No problems in 1 file.\n'])
  })

  test('"lint --fix" keeps the layout and the line ends.', async () => {
    const text =
      '[\r\n    { "type": "function", "name": "f", "description": "d", "strict": false },\r\n    {\r\n        "type": "function",\r\n        "name": "g",\r\n        "description": "d",\r\n        "strict": false\r\n    }\r\n]\r\n'
    expect(await fix(text)).toBe(
      '[\r\n    { "type": "function", "name": "f", "description": "d", "strict": false, "parameters": { "type": "object", "properties": {} } },\r\n    {\r\n        "type": "function",\r\n        "name": "g",\r\n        "description": "d",\r\n        "strict": false,\r\n        "parameters": {\r\n            "type": "object",\r\n            "properties": {}\r\n        }\r\n    }\r\n]\r\n',
    )
  })

  test('"lint --fix" keeps a document of one line in one line.', async () => {
    const text = '[{"type":"function","name":"f","description":"d","strict":false}]'
    expect(await fix(text)).toBe(text.replace('}]', ',"parameters":{"type":"object","properties":{}}}]'))
  })

  test('"lint --fix" works on a single tool and on a body.', async () => {
    expect(await fix(upper)).toBe(lower(upper))
    const body = `{"messages":[{"role":"user","content":"1.0"}],"tools":[${upper}]}`
    expect(await fix(body)).toBe(lower(body))
  })

  test('"lint --fix" does not touch a key called __proto__.', async () => {
    const text = `[${chatTool('{"type":"object","properties":{"a":{"type":"STRING"}}}', '"__proto__":{"a":1},')}]`
    expect(await fix(text)).toBe(lower(text))
  })

  test('"lint --fix" repairs a thousand tools in a few rounds.', async () => {
    const tools = Array.from({ length: 1000 }, (_, i) => ({ name: `f${i}`, description: 'd' }))
    const fixed: unknown = JSON.parse(await fix(JSON.stringify(tools), '--from', 'messages'))
    expect(fixed).toEqual(tools.map(tool => ({ ...tool, input_schema: { type: 'object', properties: {} } })))
  })
})

describe('--fix does nothing that could change a meaning', () => {
  const open = '{"type":"object","properties":{"a":{"type":"string"}}}'

  test.each([
    ['beside the function', chatTool(open, '"strict":true,'), chatTool(open)],
    [
      'at the end',
      `{"type":"function","function":{"name":"f","description":"d"},"strict":true}`,
      `{"type":"function","function":{"name":"f","description":"d"}}`,
    ],
    ['in the schema', chatTool(open.replace('{', '{"strict":true,')), chatTool(open)],
  ])('"lint --fix" removes a "strict" without effect %s, and never applies it.', async (_, before, after) => {
    expect(await fix(`[${before}]`)).toBe(`[${after}]`)
  })

  test('"lint --fix" renames nothing.', async () => {
    const text = '[{"type":"function","function":{"name":"a b","description":"d"}}]'
    expect(await fix(text)).toBe(text)
  })

  test('"lint --fix" does not decide about "strict".', async () => {
    const text =
      '[{"type":"function","name":"f","description":"d","parameters":{"type":"object","properties":{}}}]'
    expect(await fix(text)).toBe(text)
  })

  const flat = (schema: string): string =>
    `[{"type":"function","name":"f","description":"d","parameters":${schema}}]`

  test.each([
    [
      'a number that reading changes',
      flat('{"type":"object","properties":{"a":{"maximum":9223372036854775807}}}'),
    ],
    ['a key that stands twice', flat('{"type":"object","properties":{"a":{"x":1,"x":2}}}')],
  ])('"lint --fix" rewrites no tool with %s.', async (_, text) => {
    expect(await fix(text, '--from', 'chat')).toBe(text)
    const { stdout } = await toolwire(['lint', '--from', 'chat'], { stdin: text })
    expect(stdout).toContain('error[mixed_shape]')
    expect(stdout).not.toContain('--fix')
  })

  test('"lint --fix" still makes small edits in a tool that it must not rewrite.', async () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"STRING"},"b":{"maximum":9223372036854775807,"x":1,"x":2}}}'
    expect(await fix(`[${chatTool(schema)}]`)).toBe(`[${chatTool(lower(schema))}]`)
  })

  test('"lint --fix" does not choose between two values of one key.', async () => {
    const twice =
      '{"type":"object","properties":{"a":{"type":"STRING"}},"properties":{"a":{"type":"STRING"}}}'
    expect(await fix(`[${chatTool(twice)}]`)).toBe(`[${chatTool(twice)}]`)
  })

  test('"lint --fix" keeps the spelling of numbers in what it rewrites.', async () => {
    const schema =
      '{"type":"object","properties":{"a":{"type":"number","minimum":1.0,"maximum":1e2,"multipleOf":1}}}'
    const fixed = await fix(flat(schema), '--from', 'chat')
    expect(fixed).toContain('"function":{')
    expect(fixed).toContain('"minimum":1.0,"maximum":1e2,"multipleOf":1}')
  })
})

describe('--fix tells what it did', () => {
  test('"lint --fix" prints one line for each repair.', async () => {
    const files = { 'a.json': fixable, 'b.json': `[\n${upper},\n${chatTool('{"type":"object"}')}\n]` }
    const { code, stdout } = await toolwire(['lint', '--fix', ...Object.keys(files)], { files })
    expect(code).toBe(1)
    expect(stdout).toMatch(
      new RegExp(
        'fixed  a\\.json:1  Write the type in lower case\n' +
          'fixed  b\\.json:2  Write the type in lower case\n' +
          'fixed  b\\.json:3  Add "properties": \\{\\}\n\n3 repairs made\\. 1 error in 2 files\\.\n$',
      ),
    )
  })

  test('Repairs are data in the JSON format, and lines on stderr beside the other formats.', async () => {
    const files = { 'a.json': fixable }
    const json = await toolwire(['lint', '--fix', '--format', 'json', 'a.json'], { files })
    const repair = { title: 'Write the type in lower case', code: 'schema_type_unknown', line: 1 }
    expect(JSON.parse(json.stdout)).toMatchObject({ files: [{ repairs: [repair] }], summary: { fixed: 1 } })
    for (const format of ['sarif', 'github']) {
      const { stdout, stderr } = await toolwire(['lint', '--fix', '--format', format, 'a.json'], { files })
      expect(stderr).toContain('fixed  a.json:1  Write the type in lower case\n')
      expect(stdout).not.toContain('fixed')
    }
  })

  test('With --fix from stdin, stdout holds only the repaired JSON, and the report goes to stderr.', async () => {
    const pretty = await toolwire(['lint', '--fix', '--from', 'chat'], { stdin: fixable })
    expect([pretty.code, pretty.stdout]).toEqual([0, lower(fixable)])
    expect(pretty.stderr).toBe(
      'fixed  <stdin>:1  Write the type in lower case\n\n1 repair made. No problems in 1 file.\n',
    )
    for (const format of ['json', 'sarif']) {
      const { stdout, stderr } = await toolwire(['lint', '--fix', '--format', format], { stdin: fixable })
      expect(stdout).toBe(lower(fixable))
      expect(stderr).toContain(format === 'json' ? '"fixed": 1' : '"results": []')
    }
  })
})

describe('--fix-dry-run', () => {
  test('"lint --fix-dry-run" reports what would be repaired and writes nothing.', async () => {
    const files = { 'a.json': fixable }
    const { code, stdout, written } = await toolwire(['lint', '--fix-dry-run', 'a.json'], { files })
    expect([code, written]).toEqual([1, []])
    expect(stdout).toContain('error[schema_type_unknown]')
    expect(stdout).toContain('would fix  a.json:1  Write the type in lower case\n')
    expect(stdout).toContain('1 repair would be made. 1 error in 1 file.')
  })

  test('"lint --fix-dry-run" from stdin reports on stdout.', async () => {
    const { stdout } = await toolwire(['lint', '--fix-dry-run', '--format', 'json'], { stdin: fixable })
    expect(JSON.parse(stdout)).toMatchObject({
      files: [{ findings: [{ code: 'schema_type_unknown' }], repairs: [{ line: 1 }] }],
      summary: { fixed: 0 },
    })
  })
})
