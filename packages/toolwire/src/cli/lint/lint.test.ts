import { describe, expect, test } from 'vitest'
import { type Setup, toolwire } from '../memory-io.test-helper.ts'

const sound = '[{"type":"function","function":{"name":"f","description":"d"}}]'
const withNote = '[{"type":"function","function":{"name":"f"}}]'
const withWarning = '[{"type":"function","strict":true,"function":{"name":"f","description":"d"}}]'
const withError = '[{"type":"function","function":{"name":"a b","description":"d"}}]'

const broken = `[
  {
    "type": "function",
    "name": "get weather",
    "description": "Weather for a city",
    "parameters": {
      "type": "object",
      "properties": { "city": { "type": "STRING" } }
    }
  }
]
`

describe('exit codes', () => {
  test.each([
    [sound, [], 0],
    [withNote, [], 0],
    [withWarning, [], 1],
    [withWarning, ['--max-warnings', '1'], 0],
    [withError, [], 1],
    [withError, ['--max-warnings', '9'], 1],
    [withError, ['--quiet'], 1],
  ])('Lint exits with %s for %j.', async (stdin, argv, expected) => {
    expect((await toolwire(['lint', ...argv], { stdin })).code).toBe(expected)
  })

  test('An unreadable file ends with exit code 2, and the others are still linted.', async () => {
    const files = { 'a.json': '{', 'b.json': withError }
    const { code, stdout, stderr } = await toolwire(['lint', 'a.json', 'b.json'], { files })
    expect(code).toBe(2)
    expect(stderr).toContain('a.json:1:2')
    expect(stdout).toContain('b.json:1:40')
    expect(stdout).toContain('1 error in 1 file.')
  })
})

describe('pretty', () => {
  test('A finding shows the message, the location, the lines and the remedy.', async () => {
    const { stdout, stderr } = await toolwire(['lint', '--from', 'chat', 'tools.json'], {
      files: { 'tools.json': broken },
    })
    expect(stderr).toBe('')
    // What the codec says about the shape is the codec's to word.
    expect(stdout.replace(/^(error\[mixed_shape\]) .*$/m, '$1 …')).toMatchInlineSnapshot(`
      "error[mixed_shape] …
        tools.json:3:13  tools[0].type
        2 │   {
        3 │     "type": "function",
          │             ^^^^^^^^^^
        4 │     "name": "get weather",
        fix   Reshape the tool (--fix)
        like  {"type":"function","function":{"name":"get weather","description":"Weather for a city","parameters":{"type":"object","properties":{"city":{"type":"STRING"}}}}}

      error[name_characters] The name "get weather" may hold only letters, digits, "_" and "-".
        tools.json:4:13  tools[0].name
        3 │     "type": "function",
        4 │     "name": "get weather",
          │             ^^^^^^^^^^^^^
        5 │     "description": "Weather for a city",
        help  Rename it, for instance to "get_weather", here and wherever the name is used.
        like  "name": "get_weather"

      error[schema_type_unknown] JSON Schema has no type "STRING".
        tools.json:8:41  tools[0].parameters.properties.city.type
        7 │       "type": "object",
        8 │       "properties": { "city": { "type": "STRING" } }
          │                                         ^^^^^^^^
        9 │     }
        fix   Write the type in lower case (--fix)
        like  "type": "string"

      3 errors in 1 file. 2 repairs can be made with --fix.
      "
    `)
  })

  test('Lint names on stderr the wire it detected.', async () => {
    const messages = '[{"name":"f","description":"d","input_schema":{"type":"object"}}]'
    const said = async (argv: string[], setup: Setup): Promise<string> =>
      (await toolwire(['lint', ...argv], setup)).stderr
    expect(await said([], { stdin: sound })).toBe('Read as chat; name another with --from.\n')
    expect(await said(['--format', 'github'], { stdin: sound })).toContain('Read as chat;')
    expect(await said(['--from', 'chat'], { stdin: sound })).toBe('')
    expect(await said([], { stdin: '[{}]' })).toContain('Nothing shows the wire, so it is read as chat;')
    const files = { a: sound, b: sound, c: messages }
    expect(await said(['a', 'b'], { files })).toBe('Read as chat; name another with --from.\n')
    expect(await said(['a', 'c'], { files })).toBe(
      'a: Read as chat.\nc: Read as messages.\nName another wire with --from.\n',
    )
  })

  test('Lint has no findings where there are no tools.', async () => {
    const none = await toolwire(['lint'], { stdin: '[]' })
    expect([none.code, none.stdout, none.stderr]).toEqual([0, 'No problems in 1 file.\n', ''])
    const body = await toolwire(['lint'], { stdin: '{"model":"m","messages":[]}' })
    expect([body.code, body.stderr]).toEqual([0, 'There are no tools in this body.\n'])
  })

  test('Findings are listed in the order of the file.', async () => {
    const stdin = `[\n${withNote.slice(1, -1)},\n${withError.slice(1, -1)},\nnull\n]`
    const { stdout } = await toolwire(['lint'], { stdin })
    expect([...stdout.matchAll(/<stdin>:(\d+)/g)].map(([, line]) => line)).toEqual(['2', '3', '4'])
  })

  test('A finding names its target when that is not the wire of the file.', async () => {
    const stdin = '[{"type":"file_search","vector_store_ids":["v"]}]'
    const { stdout } = await toolwire(['lint', '--target', 'chat,messages'], { stdin })
    expect(stdout).toMatch(/warning\[hosted_tool_dropped\] .*\(for chat, messages\)$/m)
  })

  test('The flag --quiet leaves notes out.', async () => {
    expect((await toolwire(['lint', '-q'], { stdin: withNote })).stdout).toBe('No problems in 1 file.\n')
    expect((await toolwire(['lint'], { stdin: withNote })).stdout).toContain('1 note in 1 file.')
  })

  test('Findings fit the terminal.', async () => {
    const { stdout } = await toolwire(['lint', '--from', 'chat'], {
      stdin: broken.replace('Weather for a city', 'word '.repeat(60)),
      isTTY: true,
      columns: 60,
      env: { NO_COLOR: '1' },
    })
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(60)
  })

  test('A long line is cropped around the finding.', async () => {
    const padding = `{"type":"function","function":{"name":"f","description":"${'d'.repeat(500)}"}}`
    const stdin = `[${padding},${withError.slice(1)}`
    const { stdout } = await toolwire(['lint'], { stdin })
    const [frame = '', carets = ''] = stdout.split('\n').slice(2)
    expect(frame.length).toBeLessThan(120)
    expect(frame.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('"a b"')
  })
})

describe('targets', () => {
  test('Without --target, the target is the wire of the file.', async () => {
    const long = `[{"name":"${'n'.repeat(100)}","description":"d","input_schema":{"type":"object"}}]`
    expect((await toolwire(['lint'], { stdin: long })).code).toBe(0)
    const { stdout } = await toolwire(['lint', '--from', 'chat'], { stdin: long })
    expect(stdout).toContain('name_too_long')
  })

  test('The flag --strict checks every function against strict mode.', async () => {
    const stdin =
      '[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}}]'
    expect((await toolwire(['lint'], { stdin })).code).toBe(0)
    expect((await toolwire(['lint', '--strict'], { stdin })).stdout).toContain('strict_violation')
  })

  test('With --strict, the remedies lead to strict mode and not away from it.', async () => {
    const parameters = '{"type":"object","properties":{"a":{"type":"string"}}}'
    const stdin = `[{"type":"function","function":{"name":"f","description":"d","strict":true,"parameters":${parameters}}}]`
    const { stdout } = await toolwire(['lint', '--strict'], { stdin })
    expect(stdout).toContain('Rewrite the schema into the strict subset')
    expect(stdout).not.toContain('to false')
    // One rewrite repairs both places, and both say so.
    expect(stdout.match(/^ {2}fix {3}Rewrite the schema/gm)).toHaveLength(2)
  })

  test('The tool choice of a body is linted.', async () => {
    const stdin = `{"messages":[],"tools":${sound},"tool_choice":{"type":"function","function":{"name":"g"}}}`
    expect((await toolwire(['lint'], { stdin })).stdout).toContain('error[tool_choice_undeclared]')
  })
})

describe('keys that stand twice', () => {
  test('Keys that occur twice are reported at the second.', async () => {
    const stdin =
      '[\n  {"type": "function", "type": "function", "function": {"name": "f", "description": "d"}}\n]'
    const { code, stdout } = await toolwire(['lint'], { stdin })
    expect(code).toBe(1)
    expect(stdout).toContain('warning[duplicate_key]')
    expect(stdout).toContain('<stdin>:2:24')
  })
})

describe('what the text says and the value does not', () => {
  const tool = (schema: string): string =>
    `{"type":"function","function":{"name":"f","description":"d","parameters":${schema}}}`
  const large = tool('{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}}')

  test.each([
    ['a number that reading changes', `[${large}]`, 'warning[number_imprecise]', '9223372036854775807'],
    [
      'a key that stands twice',
      `[${tool('{"type":"object","type":"object","properties":{}}')}]`,
      'warning[duplicate_key]',
      '"type"',
    ],
  ])('A text with %s is reported at its location.', async (_, stdin, head, marked) => {
    const { code, stdout } = await toolwire(['lint'], { stdin })
    expect(code).toBe(1)
    expect(stdout).toContain(head)
    const lines = stdout.split('\n')
    const carets = lines.findIndex(line => /\^+$/.test(line))
    const [at, to] = [lines[carets]?.indexOf('^') ?? 0, lines[carets]?.length]
    expect(lines[carets - 1]?.slice(at, to)).toBe(marked)
  })

  test('Flaws of the text outside the tools of a body are not reported.', async () => {
    const rest = '"messages":[{"role":"user","role":"user","id":9223372036854775807}]'
    expect((await toolwire(['lint'], { stdin: `{${rest},"tools":${sound}}` })).code).toBe(0)
    expect((await toolwire(['lint'], { stdin: `{${rest},"tools":[${large}]}` })).code).toBe(1)
    const declared = '{"type":"additional_tools","tools":[{"type":"web_search","x":1e999}]}'
    expect((await toolwire(['lint'], { stdin: `{"input":[{"x":1e999},${declared}]}` })).stdout).toContain(
      'input[1].tools[0].x',
    )
    expect((await toolwire(['lint'], { stdin: '{"input":[{"x":1e999}]}' })).code).toBe(0)
  })
})

describe('examples', () => {
  const schema = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more })
  const cases: readonly [code: string, wire: string, tools: readonly object[], example: string][] = [
    ['name_characters', 'messages', [{ name: 'bad name' }], '"name": "bad_name"'],
    ['duplicate_tool_name', 'messages', [{ name: 'a' }, { name: 'a' }], '"name": "a_2"'],
    ['name_too_long', 'responses', [{ name: 'a'.repeat(200) }], `"name": "${'a'.repeat(64)}`],
    [
      'array_without_items',
      'responses',
      [{ name: 'a', parameters: schema({ list: { type: 'array' } }) }],
      '"list": {"type":"array","items":{"type":"string"}}',
    ],
    [
      'empty_enum',
      'responses',
      [{ name: 'a', parameters: schema({ kind: { enum: [] } }) }],
      '"kind": {"enum":["one value","another"]}',
    ],
    [
      'undeclared_required',
      'responses',
      [{ name: 'a', parameters: schema({}, { required: ['city'] }) }],
      '"city": {"type":"string"}',
    ],
    [
      'root_keyword_refused',
      'messages',
      [{ name: 'a', input_schema: schema({}, { anyOf: [{ required: [] }] }) }],
      '"input_schema": {"type":"object","properties":{"value":{"anyOf":[{"required":[]}]}}}',
    ],
    [
      'property_name_refused',
      'messages',
      [{ name: 'a', input_schema: schema({ 'home city': { type: 'string' } }) }],
      '"home_city": {"type":"string"}',
    ],
    ['unknown_type', 'messages', [{ type: 'functoin', name: 'a' }], '{"name":"get_weather","input_schema":'],
  ]

  test.each(cases)(
    'The example of %s on %s is what was found, corrected.',
    async (code, wire, tools, example) => {
      const typed = wire === 'responses' ? tools.map(tool => ({ type: 'function', ...tool })) : tools
      const files = { 'a.json': JSON.stringify(typed) }
      const { stdout } = await toolwire(['lint', '--from', wire, '--json', 'a.json'], { files })
      const report = JSON.parse(stdout) as { files: { findings: { code: string; example: string }[] }[] }
      const found = report.files[0]?.findings.find(finding => finding.code === code)
      expect(found?.example).toContain(example)
    },
  )
})
