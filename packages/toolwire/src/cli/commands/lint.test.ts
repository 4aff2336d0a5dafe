import { describe, expect, it } from 'vitest'
import { toolwire } from '../memory-io.test-helper.ts'

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
  it.each([
    [sound, [], 0],
    [withNote, [], 0],
    [withWarning, [], 1],
    [withWarning, ['--max-warnings', '1'], 0],
    [withError, [], 1],
    [withError, ['--max-warnings', '9'], 1],
    [withError, ['--quiet'], 1],
  ])('%s with %j', async (stdin, argv, expected) => {
    expect((await toolwire(['lint', ...argv], { stdin })).code).toBe(expected)
  })

  it('an unreadable file counts as misuse, and the others are linted all the same', async () => {
    const files = { 'a.json': '{', 'b.json': withError }
    const { code, stdout, stderr } = await toolwire(['lint', 'a.json', 'b.json'], { files })
    expect(code).toBe(2)
    expect(stderr).toContain('a.json:1:2')
    expect(stdout).toContain('b.json:1:40')
    expect(stdout).toContain('1 error in 1 file.')
  })
})

describe('pretty', () => {
  it('shows what, where, the lines and the way out', async () => {
    const { stdout, stderr } = await toolwire(['lint', '--from', 'chat', 'tools.json'], {
      files: { 'tools.json': broken },
    })
    expect(stderr).toBe('')
    expect(stdout).toMatchInlineSnapshot(`
      "error[mixed_shape] The tool's fields stand beside "type"; on this wire they belong inside "function".
        tools.json:3:13  tools[0].type
        2 │   {
        3 │     "type": "function",
          │             ^^^^^^^^^^
        4 │     "name": "get weather",
        help  Write the tool in the shape of this wire.
        fix   Reshape the tool (--fix)

      error[name_characters] The name "get weather" may hold only letters, digits, "_" and "-".
        tools.json:4:13  tools[0].name
        3 │     "type": "function",
        4 │     "name": "get weather",
          │             ^^^^^^^^^^^^^
        5 │     "description": "Weather for a city",
        help  Rename it, for instance to "get_weather".
        fix   Rename to "get_weather" (--fix)

      error[schema_type_unknown] JSON Schema has no type "STRING".
        tools.json:8:41  tools[0].parameters.properties.city.type
        7 │       "type": "object",
        8 │       "properties": { "city": { "type": "STRING" } }
          │                                         ^^^^^^^^
        9 │     }
        help  Use one of string, number, integer, boolean, object, array, null.
        fix   Write the type in lower case (--fix)

      3 errors in 1 file. 3 can be repaired with --fix.
      "
    `)
  })

  it('goes through the file from top to bottom', async () => {
    const stdin = `[\n${withNote.slice(1, -1)},\n${withError.slice(1, -1)},\nnull\n]`
    const { stdout } = await toolwire(['lint'], { stdin })
    expect([...stdout.matchAll(/<stdin>:(\d+)/g)].map(([, line]) => line)).toEqual(['2', '3', '4'])
  })

  it('names the target when it is not the wire of the file', async () => {
    const stdin = '[{"type":"file_search","vector_store_ids":["v"]}]'
    const { stdout } = await toolwire(['lint', '--target', 'chat,messages'], { stdin })
    expect(stdout).toContain('left out. (for chat, messages)')
  })

  it('leaves notes out on request', async () => {
    expect((await toolwire(['lint', '-q'], { stdin: withNote })).stdout).toBe('No problems in 1 file.\n')
    expect((await toolwire(['lint'], { stdin: withNote })).stdout).toContain('1 note in 1 file.')
  })

  it('keeps within the terminal', async () => {
    const { stdout } = await toolwire(['lint', '--from', 'chat'], {
      stdin: broken.replace('Weather for a city', 'word '.repeat(60)),
      isTTY: true,
      columns: 60,
      env: { NO_COLOR: '1' },
    })
    expect(Math.max(...stdout.split('\n').map(line => line.length))).toBeLessThanOrEqual(60)
  })

  it('cuts a long line down to the place', async () => {
    const padding = `{"type":"function","function":{"name":"f","description":"${'d'.repeat(500)}"}}`
    const stdin = `[${padding},${withError.slice(1)}`
    const { stdout } = await toolwire(['lint'], { stdin })
    const [frame = '', carets = ''] = stdout.split('\n').slice(2)
    expect(frame.length).toBeLessThan(120)
    expect(frame.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('"a b"')
  })
})

describe('targets', () => {
  it('are the wire of the file unless given', async () => {
    const long = `[{"name":"${'n'.repeat(100)}","description":"d","input_schema":{"type":"object"}}]`
    expect((await toolwire(['lint'], { stdin: long })).code).toBe(0)
    const { stdout } = await toolwire(['lint', '--from', 'chat'], { stdin: long })
    expect(stdout).toContain('name_too_long')
  })

  it('--strict holds every function to strict mode', async () => {
    const stdin =
      '[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{}}}}]'
    expect((await toolwire(['lint'], { stdin })).code).toBe(0)
    expect((await toolwire(['lint', '--strict'], { stdin })).stdout).toContain('strict_violation')
  })

  it('a body has its choice linted', async () => {
    const stdin = `{"messages":[],"tools":${sound},"tool_choice":{"type":"function","function":{"name":"g"}}}`
    expect((await toolwire(['lint'], { stdin })).stdout).toContain('error[tool_choice_undeclared]')
  })
})

describe('keys that stand twice', () => {
  it('are reported at the second', async () => {
    const stdin =
      '[\n  {"type": "function", "type": "function", "function": {"name": "f", "description": "d"}}\n]'
    const { code, stdout } = await toolwire(['lint'], { stdin })
    expect(code).toBe(1)
    expect(stdout).toContain('warning[duplicate_key]')
    expect(stdout).toContain('<stdin>:2:24')
  })
})

describe('--format', () => {
  it('json tells everything', async () => {
    const { stdout } = await toolwire(['lint', '--format', 'json', 'a.json'], {
      files: { 'a.json': withError },
    })
    expect(JSON.parse(stdout)).toEqual({
      files: [
        {
          file: 'a.json',
          wire: 'chat',
          targets: ['chat'],
          findings: [
            {
              code: 'name_characters',
              severity: 'error',
              path: [0, 'function', 'name'],
              message: 'The name "a b" may hold only letters, digits, "_" and "-".',
              remedy: 'Rename it, for instance to "a_b".',
              targets: ['chat'],
              line: 1,
              column: 40,
              endLine: 1,
              endColumn: 45,
              fix: { title: 'Rename to "a_b"', edits: [{ path: [0, 'function', 'name'], value: 'a_b' }] },
            },
          ],
        },
      ],
      summary: { errors: 1, warnings: 0, notes: 0, fixed: 0 },
    })
  })

  it('github writes one escaped command for each finding', async () => {
    const { stdout } = await toolwire(['lint', '--format', 'github', 'a,b.json'], {
      files: { 'a,b.json': withError },
    })
    expect(stdout).toBe(
      '::error file=a%2Cb.json,line=1,col=40,endLine=1,endColumn=45,title=name_characters::' +
        'The name "a b" may hold only letters, digits, "_" and "-".%0ARename it, for instance to "a_b".\n',
    )
  })

  it('sarif describes every rule that a result names', async () => {
    const files = { 'my tools.json': withError, 'b.json': withNote }
    const { stdout } = await toolwire(['lint', '--format', 'sarif', ...Object.keys(files)], { files })
    const log = JSON.parse(stdout)
    expect(log).toMatchObject({ version: '2.1.0', runs: [{ tool: { driver: { name: 'toolwire' } } }] })
    const [{ tool, results }] = log.runs
    expect(results).toMatchObject([
      {
        ruleId: 'name_characters',
        level: 'error',
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'my%20tools.json' },
              region: { startLine: 1, startColumn: 40, endLine: 1, endColumn: 45 },
            },
          },
        ],
      },
      { ruleId: 'description_advised', level: 'note' },
    ])
    for (const { ruleId, ruleIndex, message } of results) {
      expect(tool.driver.rules[ruleIndex].id).toBe(ruleId)
      expect(tool.driver.rules[ruleIndex].shortDescription.text).not.toBe('')
      expect(message.text).not.toBe('')
    }
  })
})

describe('--fix', () => {
  const fix = async (text: string, ...argv: string[]): Promise<string> => {
    const { files } = await toolwire(['lint', '--fix', ...argv, 'a.json'], { files: { 'a.json': text } })
    return files['a.json'] ?? ''
  }

  it('touches only what it repairs', async () => {
    const text =
      '[\n\t{"type" : "function",\n\n   "function":{ "name":"a b",  "description": "\\u00e9 1.0" } , "x": 1.0 }\n]\n\n'
    expect(await fix(text)).toBe(text.replace('a b', 'a_b'))
  })

  it('does not write a file that has nothing to repair', async () => {
    const { written, stdout } = await toolwire(['lint', '--fix', 'a.json'], { files: { 'a.json': sound } })
    expect(written).toEqual([])
    expect(stdout).toBe('No problems in 1 file.\n')
  })

  it('says when a file cannot be written', async () => {
    const { code, stderr } = await toolwire(['lint', '--fix', 'a.json'], {
      files: { 'a.json': withError },
      readOnly: true,
    })
    expect([code, stderr]).toEqual([2, 'error: a.json: permission denied\n'])
  })

  it('repairs in rounds until nothing is left, and then not again', async () => {
    const once = await fix(broken, '--from', 'chat')
    expect(JSON.parse(once)).toEqual([
      {
        type: 'function',
        function: {
          name: 'get_weather',
          description: 'Weather for a city',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      },
    ])
    expect(await fix(once, '--from', 'chat')).toBe(once)
    const { code, stdout } = await toolwire(['lint'], { stdin: once })
    expect([code, stdout]).toEqual([0, 'No problems in 1 file.\n'])
  })

  it('keeps the layout of lines, and the line ends', async () => {
    const text =
      '[\r\n    { "type": "function", "name": "f", "description": "d" },\r\n    {\r\n        "type": "function",\r\n        "name": "g",\r\n        "description": "d",\r\n        "strict": false\r\n    }\r\n]\r\n'
    expect(await fix(text)).toBe(
      '[\r\n    { "type": "function", "name": "f", "description": "d", "strict": false, "parameters": { "type": "object", "properties": {} } },\r\n    {\r\n        "type": "function",\r\n        "name": "g",\r\n        "description": "d",\r\n        "strict": false,\r\n        "parameters": {\r\n            "type": "object",\r\n            "properties": {}\r\n        }\r\n    }\r\n]\r\n',
    )
  })

  it('keeps a document in one line in one line', async () => {
    const text = '[{"type":"function","name":"f","description":"d"}]'
    expect(await fix(text)).toBe(
      '[{"type":"function","name":"f","description":"d","strict":false,"parameters":{"type":"object","properties":{}}}]',
    )
  })

  it.each([
    [
      '{"type":"function","strict":true,"function":{"name":"f","description":"d"}}',
      '{"type":"function","function":{"name":"f","description":"d","strict":true}}',
    ],
    [
      '{"type":"function","function":{"name":"f","description":"d"},"strict":true}',
      '{"type":"function","function":{"name":"f","description":"d","strict":true}}',
    ],
  ])('moves a key out of %s', async (before, after) => {
    expect(await fix(`[${before}]`)).toBe(`[${after}]`)
  })

  it('moves the first key too, and the only one', async () => {
    const inner = '"function":{"name":"f","description":"d"}'
    const moved = '{"name":"f","description":"d","strict":false}'
    expect(await fix(`[{"strict":false,"type":"function",${inner}}]`)).toBe(
      `[{"type":"function","function":${moved}}]`,
    )
    const schema = '{"name":"f","description":"d","parameters":{"strict":false}}'
    expect(JSON.parse(await fix(`[{"type":"function","function":${schema}}]`))).toEqual([
      {
        type: 'function',
        function: { ...JSON.parse(moved), parameters: { type: 'object', properties: {} } },
      },
    ])
  })

  it('repairs the value that counts when a key stands twice', async () => {
    const text = '[{"type":"function","function":{"name":"c d","name":"a b","description":"d"}}]'
    expect(await fix(text)).toBe(text.replace('a b', 'a_b'))
  })

  it('works on a single tool and on a body', async () => {
    const single = '{"type":"function","function":{"name":"a b","description":"d"}}'
    expect(await fix(single)).toBe(single.replace('a b', 'a_b'))
    const body = `{"messages":[{"role":"user","content":"1.0"}],"tools":[${single}]}`
    expect(await fix(body)).toBe(body.replace('a b', 'a_b'))
  })

  it('leaves a key called __proto__ where it is', async () => {
    const text = '[{"type":"function","__proto__":{"a":1},"function":{"name":"a b","description":"d"}}]'
    expect(await fix(text)).toBe(text.replace('a b', 'a_b'))
  })

  it('writes what came from stdin to stdout, and the report to stderr', async () => {
    const { code, stdout, stderr } = await toolwire(['lint', '--fix'], { stdin: withError })
    expect([code, stdout]).toEqual([0, withError.replace('a b', 'a_b')])
    expect(stderr).toBe('1 repair made. No problems in 1 file.\n')
  })

  it('repairs a thousand tools in a few rounds', async () => {
    const tools = Array.from({ length: 1000 }, (_, i) => ({ name: `f ${i}`, description: 'd' }))
    const fixed: unknown = JSON.parse(await fix(JSON.stringify(tools), '--from', 'messages'))
    expect(fixed).toEqual(
      tools.map((tool, i) => ({ ...tool, name: `f_${i}`, input_schema: { type: 'object', properties: {} } })),
    )
  })
})
