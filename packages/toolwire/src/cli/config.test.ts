import { defineTool } from '@toolwire/core'
import { expect, test } from 'vitest'
import { runConfig } from './config.ts'
import { toolwire } from './memory-io.test-helper.ts'
import type { Setup } from './serve/environment.test-helper.ts'
import { argumentsOf, createStage } from './serve/environment.test-helper.ts'

async function config(argv: readonly string[], setup: Setup = {}) {
  const { io, world, printed } = createStage(setup)
  const code = await runConfig(argumentsOf('config', argv), io, world)
  return { code, ...printed }
}

const files = {
  'toolwire.config.json': JSON.stringify({
    upstreams: [
      {
        name: 'local',
        wire: 'chat',
        baseUrl: 'http://127.0.0.1:11434/v1',
        apiKey: 'alpha-beta',
        headers: { 'x-org': 'gamma' },
      },
    ],
    keys: ['delta'],
    mcpServers: { a: { command: 'node', args: ['--token=sk-abcdefghijklmnopqrst'], env: { A: 'epsilon' } } },
    store: { ttlDays: 2 },
  }),
}

test('"config print" shows each setting and where it comes from.', async () => {
  const { code, stdout } = await config(['print'], { files, env: { PORT: '8080' } })
  expect(code).toBe(0)
  const row = (name: string): string[] =>
    stdout
      .split('\n')
      .find(line => line.startsWith(`${name} `))
      ?.split(/ {2,}/) ?? []
  expect(row('port')).toEqual(['port', '8080', 'PORT'])
  expect(row('host')).toEqual(['host', '"127.0.0.1"', 'default'])
  expect(row('store.ttlDays')).toEqual(['store.ttlDays', '2', 'toolwire.config.json'])
  expect(row('store.path')[1]).toContain('responses.sqlite')
  expect(row('upstreams[0].apiKey')).toEqual(['upstreams[0].apiKey', '"***"', 'toolwire.config.json'])
})

test('"config print" shows the store in force, and no address of it, which may hold a password.', async () => {
  const url = 'redis://:zeta@host'
  const told = await config(['print'], {
    files: { 'toolwire.config.json': JSON.stringify({ store: { url } }) },
  })
  expect(told.stdout).toMatch(/^store\.kind +"redis" /m)
  const named = { 'toolwire.config.json': '{"store":{"kind":"redis"}}' }
  const fromVariable = await config(['print'], { files: named, env: { REDIS_URL: url } })
  expect(fromVariable.stdout).toMatch(/^store\.url +"\*\*\*" /m)
  expect(told.stdout + fromVariable.stdout).not.toContain('zeta')
})

test('"config print" shows no key.', async () => {
  for (const argv of [['print'], ['print', '--json']]) {
    const { stdout } = await config(argv, { files })
    expect(stdout).not.toMatch(/alpha|gamma|delta|epsilon|sk-abc/)
    expect(stdout).toContain('***')
  }
})

test('"config print --json" writes a configuration that can be loaded again.', async () => {
  const { stdout } = await config(['print', '--json'], { files })
  const again = await config(['check'], { files: { 'toolwire.config.json': stdout } })
  expect(again).toMatchObject({ code: 0, stdout: 'toolwire.config.json is fine: 1 upstream.\n' })
})

test('"config print" shows tools by their names.', async () => {
  const tool = defineTool({ name: 'clock', parameters: { type: 'object' }, handler: () => 1 })
  const programs = {
    'toolwire.config.js': () => ({ default: { tools: [tool], hosted: { web_search: tool } } }),
  }
  const { stdout } = await config(['print', '--json'], { programs })
  expect(JSON.parse(stdout)).toMatchObject({ tools: ['clock'], hosted: { web_search: 'clock' } })
})

test('"config print" works without a file.', async () => {
  const { stdout } = await config(['print'])
  expect(stdout).toMatch(/^upstreams +the embedded demo model +default$/m)
})

test('"config check" reports that a configuration is fine, or its problems with exit code 3.', async () => {
  expect(await config(['check'])).toMatchObject({ code: 0, stdout: expect.stringContaining('demo model') })
  expect(JSON.parse((await config(['check', '--json'], { files })).stdout)).toEqual({
    ok: true,
    file: 'toolwire.config.json',
    warnings: [],
  })
  const wrong = {
    'my.json':
      '{ "upstreams": [{ "name": "a", "wire": "chat", "baseUrl": "http://a.test", "apiKeyEnv": "NO" }] }',
  }
  const { code, stderr } = await config(['check', '--config', 'my.json'], { files: wrong })
  expect(code).toBe(3)
  expect(stderr).toContain('my.json:1:89: The environment variable NO')
  const told = await config(['check', '--config', 'my.json', '--json'], { files: wrong })
  expect([told.code, told.stderr]).toEqual([3, ''])
  expect(JSON.parse(told.stdout)).toEqual({
    ok: false,
    problems: [
      {
        path: ['upstreams', 0, 'apiKeyEnv'],
        where: 'my.json:1:89',
        message: expect.stringContaining('The environment variable NO'),
        remedy: expect.any(String),
        variable: 'NO',
      },
    ],
  })
})

test('"config schema" writes JSON Schema.', async () => {
  const { code, stdout } = await config(['schema'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ type: 'object', additionalProperties: false })
})

test.each([
  [['config'], 'Say what to do: print, check or schema.'],
  [['config', 'prnt'], 'Did you mean "print"?'],
  [['config', 'print', 'x'], 'One thing at a time'],
  [['config', 'everything'], 'There are print, check, schema.'],
])('The arguments %j are misuse of "config".', async (argv, message) => {
  const { code, stderr } = await toolwire(argv)
  expect(code).toBe(2)
  expect(stderr).toContain(message)
})
