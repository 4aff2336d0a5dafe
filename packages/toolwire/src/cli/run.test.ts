import { describe, expect, test } from 'vitest'
import { commands } from './command-table.ts'
import { toolwire } from './memory-io.test-helper.ts'

const names = Object.keys(commands)

describe('help', () => {
  test.each([[[]], [['--help']], [['-h']], [['help']]])(
    'The arguments %j show the help of the command.',
    async argv => {
      const { code, stdout, stderr } = await toolwire(argv)
      expect([code, stderr]).toEqual([0, ''])
      for (const name of names) expect(stdout).toContain(`  ${name}`)
      expect(stdout).toContain('Exit codes')
      expect(stdout).toContain('NO_COLOR')
    },
  )

  test.each(names)('The help of %s lists every flag, an example and the exit codes.', async name => {
    const { code, stdout } = await toolwire([name, '--help'])
    expect(code).toBe(0)
    expect(stdout).toBe((await toolwire(['help', name])).stdout)
    for (const flag of Object.keys(commands[name]?.options ?? {})) expect(stdout).toContain(`--${flag}`)
    expect(stdout).toContain(`toolwire ${name}`)
    expect(stdout).toContain('130')
  })

  test('The help states when each command exits with 1.', async () => {
    const { stdout } = await toolwire(['--help'])
    for (const [name, fails] of [
      ['lint', 'an error was found, or more warnings than --max-warnings'],
      ['convert', 'an error was reported, the stream failed, or with --strict anything was lost'],
    ] as const) {
      expect((await toolwire([name, '--help'])).stdout).toMatch(new RegExp(`^  1 +${fails}$`, 'm'))
      expect(stdout).toContain(`${name}: ${fails}`)
    }
    expect((await toolwire(['explain', '--help'])).stdout).not.toMatch(/^ {2}1 /m)
  })

  test.each([76, 80, 100])(
    'The help fits a terminal of %i columns, except for commands to paste.',
    async columns => {
      for (const argv of [['--help'], ...names.map(name => [name, '--help'])]) {
        const { stdout } = await toolwire(argv, { isTTY: true, columns, env: { NO_COLOR: '1' } })
        const wide = stdout.split('\n').filter(line => line.length > columns)
        const pasted = Object.values(commands).flatMap(({ examples }) => examples.flat())
        expect(wide.map(line => line.trim()).filter(line => !pasted.includes(line))).toEqual([])
      }
    },
  )

  test('The help on a narrow terminal holds the same words as on a wide one.', async () => {
    const words = (text: string): string[] => text.split(/\s+/)
    for (const argv of [['--help'], ...names.map(name => [name, '--help'])]) {
      const narrow = await toolwire(argv, { isTTY: true, columns: 60, env: { NO_COLOR: '1' } })
      expect(words(narrow.stdout)).toEqual(words((await toolwire(argv)).stdout))
    }
  })

  test('The help of an unknown command is refused.', async () => {
    const { code, stderr } = await toolwire(['help', 'covert'])
    expect(code).toBe(2)
    expect(stderr).toContain('Did you mean "convert"?')
  })

  test('The examples of the help use only flags that exist.', async () => {
    for (const [name, { options, examples }] of Object.entries(commands)) {
      for (const [command] of examples) {
        for (const [, flag = ''] of command.matchAll(/ --([a-z-]+)/g)) {
          expect(Object.keys(options), `${name}: ${command}`).toContain(flag)
        }
      }
    }
  })
})

describe('misuse', () => {
  test.each([
    [['lnit'], 'There is no command "lnit".', 'Did you mean "lint"?'],
    [['teleport'], 'There is no command "teleport".', 'There are convert, diff, lint'],
    [['constructor'], 'There is no command "constructor".', 'There are'],
    [['lint', '--fxi'], 'There is no flag --fxi.', 'Did you mean "--fix"?'],
    [['claude', '--modle', 'x'], 'There is no flag --modle.', 'Did you mean "--model"? What is meant for'],
    [['lint', '-z'], 'There is no flag -z.', 'Run "toolwire lint --help"'],
    [['explain', '--frobnicate'], 'There is no flag --frobnicate.', 'There are --json, --help.'],
    [['--port', '4142'], 'There is no flag --port.', '"toolwire serve --port"'],
    [['config', 'frob'], 'There is no "config frob".', 'There are print, check, schema.'],
    [['config', 'frob', '--help'], 'There is no "config frob".', 'There are print, check, schema.'],
    [['config', 'chekc', '--help'], 'There is no "config chekc".', 'Did you mean "check"?'],
    [['--verison'], 'There is no flag --verison.', 'Did you mean "--version"?'],
    [['--version', 'lint'], 'The command comes before its options.', ''],
    [['lint', '--fix=yes'], '--fix takes no value.', ''],
    [['lint', '--format'], '--format needs a value: pretty, json', ''],
    [['lint', '--format', '--fix'], '--format needs a value', ''],
    [['lint', '--format', 'sarf'], '--format must be one of', 'Did you mean "sarif"?'],
    [['lint', '--target', 'chat,mesages'], '--target must be one of', 'Did you mean "messages"?'],
    [['lint', '--max-warnings', 'few'], '--max-warnings must be a whole number.', ''],
    [['convert'], 'Say what to convert.', 'tools'],
    [['convert', 'tool', '--to', 'chat'], '"tool" cannot be converted.', 'Did you mean "tools"?'],
    [
      ['convert', 'gadget', '--to', 'chat'],
      '"gadget" cannot be converted.',
      'There are tools, request, response, stream.',
    ],
    [['convert', 'requests', '--to', 'chat'], '"requests" cannot be converted.', 'Did you mean "request"?'],
    [['convert', 'answers', '--to', 'chat'], '"answers" cannot be converted.', 'Did you mean "response"?'],
    [['convert', 'constructor', '--to', 'chat'], '"constructor" cannot be converted.', 'There are tools'],
    [['convert', 'request'], '--to is missing', 'Run "toolwire convert --help"'],
    [['convert', 'request', '--to', 'chat', '--pairing', 'repare'], '--pairing must be one of', '"repair"'],
    [['convert', 'tools', '--to', 'chat', '--pairing', 'pass'], '--pairing does not go', '"convert request"'],
    [['convert', 'request', '--to', 'chat', '--request', 'r'], '--request does not go', '"convert response"'],
    [
      ['convert', 'stream', '--to', 'chat', '--json'],
      '--json does not go with "convert stream"',
      'convert tools',
    ],
    [['convert', 'stream', '--to', 'chat', '--compact'], '--compact does not go', '"convert request"'],
    [['convert', 'response', '--to', 'chat', '--hosted', 'drop'], '--hosted tells how', 'with --request'],
    [['convert', 'stream', '--to', 'chat', '-r', '-'], 'Only one of the two can come from stdin.', ''],
    [
      ['convert', 'tools', '--from', 'chat', '--to', 'messages', '--native-custom'],
      '--native-custom cannot be',
      'no free-text tools',
    ],
    [
      ['convert', 'request', '--to', 'chat'],
      'This is a list of tools, not a request.',
      '"toolwire convert tools"',
    ],
    [['convert', 'response', '--to', 'chat'], 'This is a list of tools, not an answer.', 'convert tools'],
    [['convert', 'stream', '--to', 'chat'], 'This is JSON', '"toolwire convert response"'],
    [['diff', 'a', 'b'], 'One file at a time', ''],
    [['diff', '--from', 'openai'], 'one of chat, responses, messages', '"chat" is OpenAI Chat Completions'],
    [['dif'], 'There is no command "dif".', 'Did you mean "diff"?'],
    [['convert', 'tools'], '--to is missing', 'Run "toolwire convert --help"'],
    [['convert', 'tools', '--to', 'chat', 'a', 'b'], 'One file at a time', ''],
    [
      ['convert', 'tools', '--to', 'chart'],
      '--to must be one of chat, responses, messages',
      'Did you mean "chat"?',
    ],
    [
      ['convert', 'tools', '--to', 'openai'],
      'one of chat, responses, messages',
      '"chat" is OpenAI Chat Completions',
    ],
    [['convert', 'tools', '--from', 'antropic', '--to', 'chat'], '--from must be', 'wire is "messages"'],
    [['lint', '--target', 'claude'], '--target must be', 'wire is "messages"'],
    [['convert', 'tools', '--to', 'chat', '--to', 'messages'], '--to is given twice', ''],
    [['convert', 'tools', '-t', 'chat', '--to=chat'], '--to is given twice', ''],
    [['lint', '--format', 'json', '--format', 'sarif'], '--format is given twice', ''],
    [['lint', '--fix', '--fix-dry-run'], 'choose one', ''],
    [['convert', 'chat.json', '--to', 'chat'], 'cannot be converted', '"toolwire convert tools chat.json"'],
    [
      ['convert', 'tools', '--to', 'chat', '--hosted', 'web_serch=emulate'],
      'no hosted tool type "web_serch"',
      'Did you mean "web_search"?',
    ],
    [['convert', 'tools', '--to', 'chat', '--hosted', '=drop'], 'no hosted tool type ""', 'There are'],
    [['convert', 'tools', '--to', 'chat', '--hosted', 'bash=drop'], 'type "bash"', '"bash_20250124"'],
    [['convert', 'tools', '--to', 'chat', '--hosted', 'keep'], '--hosted must be one of', ''],
    [['convert', 'tools', '--to', 'chat', '--hosted', 'mcp=drip'], '--hosted must be one of', '"drop"'],
    [['convert', 'tools', '--to', 'chat', '--max-name-length', '15'], 'a number from 16 to 9999', ''],
    [['convert', 'tools', '--to', 'chat', '--max-name-length', '1e3'], 'a number from 16 to 9999', ''],
    [['explain', 'a', 'b'], 'One code at a time', ''],
  ])('The arguments %j are refused with a message and a hint.', async (argv, message, hint) => {
    const { code, stdout, stderr } = await toolwire(argv, { stdin: '[]' })
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(/^error: /)
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })
})

describe('input that cannot be read', () => {
  test.each([
    ['', '<stdin>:1:1: The input is empty.'],
    ['[{"a": 1,}]', '<stdin>:1:10: A comma must not stand before the closing brace.'],
    ['[1,\n 2,\n]', '<stdin>:3:1: A value was expected after the comma.'],
    ['[{"a" 1}]', '<stdin>:1:7: A colon was expected.'],
    ['[1 2]', '<stdin>:1:4: A comma was expected.'],
    ['[1', '<stdin>:1:3: The text ends before the JSON does.'],
    ['[1] // why', '<stdin>:1:5: JSON has no comments.'],
    ['[1] 2', '<stdin>:1:5: The JSON has ended before this.'],
    ['7', '<stdin>: expected a list of tools, or a request body with "tools".'],
    ['{"model": "x"}', '<stdin>: expected a list of tools'],
    [`${'['.repeat(20_000)}${']'.repeat(20_000)}`, '<stdin>:1:1001: Nested deeper than 1000 levels.'],
  ])('The input %j cannot be read, with a message and a position.', async (stdin, message) => {
    for (const argv of [['convert', 'tools', '--to', 'chat'], ['lint']]) {
      const { code, stdout, stderr } = await toolwire(argv, { stdin })
      expect([code, stdout]).toEqual([2, ''])
      expect(stderr).toContain(`error: ${message}`)
    }
  })

  test('A syntax error is shown with the lines around it.', async () => {
    const { stderr } = await toolwire(['convert', 'tools', '--to', 'chat'], { stdin: '[\n  {"a": 1,}\n]' })
    expect(stderr).toContain('  2 │   {"a": 1,}\n    │           ^\n  3 │ ]\n')
  })

  test('A missing file and a directory are named.', async () => {
    const files = { 'tools/a.json': '[]' }
    const missing = await toolwire(['convert', 'tools', '--to', 'chat', 'no.json'], { files })
    expect([missing.code, missing.stderr]).toEqual([2, 'error: no.json: no such file\n'])
    const directory = await toolwire(['diff', 'tools'], { files })
    expect([directory.code, directory.stderr]).toEqual([2, 'error: tools: this is a directory\n'])
  })

  test('A byte order mark is accepted.', async () => {
    expect((await toolwire(['lint'], { stdin: '\ufeff[]' })).code).toBe(0)
  })
})

describe('colours', () => {
  const sequence = '\u001b['
  test.each([
    [{}, false, false],
    [{}, true, true],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, false],
    [{ TERM: 'dumb' }, true, false],
  ])('With the variables %j and a terminal, colours are used: %s.', async (env, isTTY, colored) => {
    const { stdout } = await toolwire(['--help'], { env, isTTY })
    expect(stdout.includes(sequence)).toBe(colored)
  })
})

describe('untrusted text', () => {
  test('Untrusted text reaches the terminal without control characters.', async () => {
    const name = 'a\u001b[31m\u0007\u202eb'
    const parameters = { type: 'object', properties: { [name]: { type: 'nope' } } }
    const stdin = JSON.stringify([{ type: 'function', function: { name, description: 'd', parameters } }])
    const runs = [
      await toolwire(['lint'], { stdin }),
      await toolwire(['convert', 'tools', '--to', 'responses'], { stdin }),
      await toolwire(['diff'], { stdin }),
      await toolwire(['diff', '--full'], { stdin }),
      await toolwire(['convert', 'response', '--to', 'chat', name]),
      await toolwire(['convert', 'stream', '--to', 'chat', '--request', name]),
      await toolwire(['lint', name]),
      await toolwire([name]),
      await toolwire(['convert', 'tools', '--to', name]),
      await toolwire(['convert', name]),
      await toolwire(['lint', `--${name}`]),
      await toolwire(['explain', name]),
    ]
    for (const { stdout, stderr } of runs) {
      expect(stdout + stderr).not.toContain('\u001b')
      expect(stdout + stderr).not.toContain('\u0007')
      expect(stderr).not.toContain('\u202e')
    }
    expect(runs[0]?.stdout).toContain('\\u001b[31m')
    expect(runs[0]?.stdout).not.toContain('\u202e')
  })
})

test('The flags --version, -V and -v print the version.', async () => {
  const { code, stdout } = await toolwire(['--version'])
  expect(code).toBe(0)
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  for (const flag of ['-V', '-v']) expect((await toolwire([flag])).stdout).toBe(stdout)
})

describe('a bug of ours', () => {
  const broken = new TypeError('x is not a function')

  test('A bug is reported as one, in one line and with its own exit code.', async () => {
    for (const argv of [['lint'], ['lint', 'a.json'], ['convert', 'tools', '--to', 'chat']]) {
      const { code, stdout, stderr } = await toolwire(argv, { broken })
      expect([code, stdout]).toEqual([70, ''])
      expect(stderr).toMatch(/^bug: .*x is not a function\. Please report it.*\n$/)
    }
  })

  test('With DEBUG, a bug shows its stack.', async () => {
    const { stderr } = await toolwire(['lint'], { broken, env: { DEBUG: '1' } })
    expect(stderr).toContain('\n    at ')
  })

  test('A failure of the file system is not reported as a bug.', async () => {
    const refused = Object.assign(new Error('EISDIR: illegal operation'), { code: 'EISDIR' })
    const { code, stderr } = await toolwire(['lint'], { broken: refused })
    expect([code, stderr]).toEqual([2, 'error: <stdin>: this is a directory\n'])
  })
})
