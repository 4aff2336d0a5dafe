import { defineTool } from '@toolwire/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkShape } from './check-shape.ts'
import { configRule } from './config-table.ts'
import { upstreamRule } from './upstream-fields.ts'

const local = { name: 'local', wire: 'chat', baseUrl: 'http://127.0.0.1:11434/v1' }

const told = (config: unknown): string[] =>
  checkShape(config, configRule).map(({ message, remedy }) =>
    remedy === undefined ? message : `${message} ${remedy}`,
  )

describe('a configuration in order', () => {
  test.each([
    [{}],
    [{ $schema: './node_modules/toolwire/schema/toolwire.schema.json' }],
    [{ upstreams: [{ ...local, apiKey: 'k', models: ['qwen3', 'llama*'], rename: { fast: 'qwen3' } }] }],
    [
      {
        upstreams: [{ ...local, profile: { nameMaxLength: 32, nameCharacters: null, results: 'anywhere' } }],
      },
    ],
    [
      {
        upstreams: [
          { ...local, hostedTools: 'drop' },
          { ...local, hostedTools: { web_search: 'handler' } },
        ],
      },
    ],
    [
      {
        upstreams: [{ ...local, hostedTools: { x: { policy: 'emulate', parameters: { type: 'object' } } } }],
      },
    ],
    [{ upstreams: [{ ...local, timeouts: { idleMs: 0, totalMs: 1 }, headers: { 'x-a': 'b' } }] }],
    [{ trace: false }],
    [{ trace: { entries: 1 } }],
    [{ store: { kind: 'sqlite', path: 'a.sqlite', ttlDays: 0.5, durability: 'full' } }],
    [{ store: { path: 'C:\\a.db' } }],
    [{ store: { path: './with:colon.db' } }],
    [{ mcpServers: { a: { command: 'node', args: ['x'] }, b: { url: 'https://x.test/mcp?a=b' } } }],
    [{ port: 0, host: '::1' }],
    // What a program leaves undefined, it leaves out.
    [{ port: undefined, store: { path: undefined } }],
  ])('The configuration %j has no problems.', config => {
    expect(told(config)).toEqual([])
  })
})

describe('a configuration with a mistake', () => {
  test.each([
    [[], ['The configuration must be an object; got a list.']],
    [{ upstreams: {} }, ['"upstreams" must be a list; got an object.']],
    [{ loses: 'strict' }, ['There is no setting "loses" in the configuration. Did you mean "losses"?']],
    [{ providers: [] }, ['There is no setting "providers" in the configuration. Did you mean "upstreams"?']],
    [
      { store: { path: 'redis://h/0' } },
      ['"store.path" must be the path of a file; the address of a server is "url"; got "redis://h/0".'],
    ],
    [
      { store: { dialect: 'x' } },
      [
        'There is no setting "dialect" in store. There are kind, path, url, ttlDays, maxBytes, maxRecords, durability.',
      ],
    ],
    [
      { upstreams: [{ ...local, baseURL: 'x', url: 'x' }] },
      [
        'There is no setting "baseURL" in upstreams[0]. Did you mean "baseUrl"?',
        'There is no setting "url" in upstreams[0]. Did you mean "baseUrl"?',
      ],
    ],
    [{ upstreams: [{ name: 'a', wire: 'chat' }] }, ['upstreams[0] needs "baseUrl".']],
    [
      { upstreams: [{ ...local, wire: 'anthropic' }] },
      [
        '"upstreams[0].wire" must be one of chat, responses, messages; got "anthropic". Anthropic\'s wire is "messages".',
      ],
    ],
    [
      { upstreams: [{ ...local, baseUrl: 'http://me:secret@x.test/v1' }] },
      [expect.stringContaining('without a query, user name or password')],
    ],
    [{ port: 65_536 }, ['"port" must be a whole number from 0 to 65535; got 65536.']],
    [{ port: 4141.5 }, ['"port" must be a whole number from 0 to 65535; got 4141.5.']],
    [{ port: '4141' }, ['"port" must be a whole number from 0 to 65535; got "4141".']],
    [{ insecure: 'yes' }, ['"insecure" must be true or false; got "yes".']],
    [{ trace: true }, ['"trace" must be an object, or false for no traces; got true.']],
    [
      { losses: 'strickt' },
      ['"losses" must be one of allow, errors, strict; got "strickt". Did you mean "strict"?'],
    ],
    [{ host: '' }, ['"host" must be a text; got "".']],
    [{ host: null }, ['"host" must be a text; got null.']],
    [{ mcpServers: { a: {} } }, ['mcpServers.a needs "command".']],
    [
      { tools: [{ name: 'x' }] },
      [
        '"tools[0]" has no handler. ' +
          'Give it a function "handler", which only a .ts or .js configuration can hold.',
      ],
    ],
    [{ tools: 'x' }, ['"tools" must be a list of tools; got "x".']],
    [{ tools: { name: 'x' } }, ['"tools" must be a list of tools; got an object.']],
    [
      { tools: [() => 'x'] },
      ['"tools[0]" is not a tool: A tool definition must be an object; got a function.'],
    ],
    [{ hosted: [] }, ['"hosted" must be an object with a tool for each type; got a list.']],
    [JSON.parse('{"__proto__": {"port": 1}}'), [expect.stringContaining('There is no setting "__proto__"')]],
    [{ constructor: 1 }, [expect.stringContaining('There is no setting "constructor"')]],
  ])('The mistake in %j is reported.', (config, expected) => {
    expect(told(config)).toEqual(expected)
  })

  test('A problem has the path of its setting.', () => {
    const problems = checkShape({ upstreams: [local, { ...local, retries: -1 }] }, configRule)
    expect(problems.map(({ path }) => path)).toEqual([['upstreams', 1, 'retries']])
  })

  test('A problem with a key shows nothing of the key.', () => {
    const keys = { keys: ['good', 7_654_321], upstreams: [{ ...local, apiKey: { really: 'hush-hush' } }] }
    expect(told(keys)).toEqual(['"keys[1]" must be a text.', '"upstreams[0].apiKey" must be a text.'])
    expect(told({ host: { k: 1 }, losses: 'sk-abcdefghijklmnopqrstuvwx' })[1]).toContain('got "***"')
  })

  test('A tool without a handler is reported.', () => {
    const bare = defineTool({ name: 'bare', parameters: { type: 'object' } })
    const runs = defineTool({ name: 'runs', parameters: { type: 'object' }, handler: () => 'ok' })
    expect(told({ tools: [runs], hosted: { web_search: runs } })).toEqual([])
    expect(told({ tools: [runs, bare] })).toEqual([expect.stringMatching(/^"tools\[1\]" has no handler\./)])
    expect(told({ hosted: { web_search: bare } })).toEqual([
      expect.stringMatching(/^"hosted\.web_search" has no handler\./),
    ])
  })

  test('A wrong definition of a tool is reported with the message of defineTool.', () => {
    const handler = (): string => 'ok'
    const parameters = { type: 'object' }
    expect(told({ tools: [{ name: 'plain', description: 'A tool', parameters, handler }] })).toEqual([])
    const wrong = [
      { description: 'Without a name', handler },
      { name: 'list', parameters: { type: 'array' }, handler },
    ]
    const [first, second] = told({ tools: wrong })
    expect(first).toMatch(/^"tools\[0\]" is not a tool: .*name/)
    expect(second).toMatch(/^"tools\[1\]" is not a tool: .*must describe an object/)
    expect(checkShape({ tools: wrong }, configRule).map(({ path }) => path)).toEqual([
      ['tools', 0],
      ['tools', 1],
    ])
  })
})

test('The check never throws.', () => {
  const anything = fc.oneof(fc.anything(), fc.record({ upstreams: fc.array(fc.anything()) }))
  fc.assert(
    fc.property(anything, value => {
      for (const problem of checkShape(value, configRule)) expect(problem.message).toMatch(/\.$/)
    }),
  )
})

test('Every setting is described in a sentence.', () => {
  for (const { about } of [...Object.values(configRule.fields), ...Object.values(upstreamRule.fields)]) {
    expect(about).toMatch(/^[A-Z].*[.]$/)
  }
})
