import { describe, expect, test } from 'vitest'
import type { MemorySetup as Setup } from '../terminal/memory-io.test-helper.ts'
import { createMemoryIo, cwd } from '../terminal/memory-io.test-helper.ts'
import { defineConfig } from './config.ts'
import { ConfigError } from './config-error.ts'
import type { ConfigFile } from './load-config.ts'
import { loadConfig } from './load-config.ts'

const load = (setup: Setup, file?: string): Promise<ConfigFile | undefined> =>
  loadConfig(file, createMemoryIo(setup).io)

async function refused(setup: Setup, file?: string): Promise<ConfigError> {
  const error = await load(setup, file).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof ConfigError) return error
  throw error ?? new Error('It was not refused.')
}

describe('finding', () => {
  test('Without a file there is no configuration.', async () => {
    expect(await load({})).toBeUndefined()
  })

  test.each(['toolwire.config.json', 'toolwire.config.jsonc'])(
    'The file %s is found in the working directory.',
    async name => {
      expect(await load({ files: { [name]: '{"port": 1}' } })).toMatchObject({ name, config: { port: 1 } })
    },
  )

  test('A named file is loaded, and no other.', async () => {
    const files = { 'toolwire.config.json': '{}', 'sub/my.json': '{"port": 2}' }
    expect(await load({ files }, 'sub/my.json')).toMatchObject({ name: 'sub/my.json', config: { port: 2 } })
    await expect(load({ files }, 'other.json')).rejects.toMatchObject({ reason: 'no such file' })
    await expect(load({ files }, 'other.js')).rejects.toMatchObject({ reason: 'no such file' })
  })

  test('Two configurations in one folder are refused.', async () => {
    const setup = { files: { 'toolwire.config.json': '{}' }, programs: { 'toolwire.config.js': () => ({}) } }
    expect((await refused(setup)).message).toBe(
      'There are 2 configurations here: toolwire.config.js, toolwire.config.json. ' +
        'Name the one to use with --config, or keep only one.',
    )
  })

  test('Paths in a file are relative to its folder.', async () => {
    const files = {
      'sub/a.json': '{"store": {"path": "s.sqlite"}}',
      'b.json': '{"store": {"path": "/s.sqlite"}}',
    }
    expect((await load({ files }, 'sub/a.json'))?.config.store?.path).toBe(`${cwd}/sub/s.sqlite`)
    expect((await load({ files }, 'b.json'))?.config.store?.path).toBe('/s.sqlite')
  })
})

describe('JSON', () => {
  test('JSON may have comments.', async () => {
    const text = '// mine\n{ /* the\n usual */ "host": "// no comment", "port": 1 // end\n}'
    expect((await load({ files: { 'a.json': text } }, 'a.json'))?.config).toEqual({
      host: '// no comment',
      port: 1,
    })
  })

  test('JSON may have a comma behind the last value, with a comment behind it.', async () => {
    const text =
      '{"upstreams": [\n{"name": "a", "wire": "chat", "baseUrl": "http://a.test/v1",},\n], // mine\n"port": 1, // end\n}'
    const { upstreams, port } = (await load({ files: { 'a.json': text } }, 'a.json'))?.config ?? {}
    expect([upstreams?.map(({ name }) => name), port]).toEqual([['a'], 1])
  })

  test.each(['{"port": 1,,}', '{,}', '{"upstreams": [,]}', '{"port": ,}', ',', '{"port": 1},'])(
    'A comma behind nothing is refused: %s',
    async text => {
      expect((await refused({ files: { 'a.json': text } }, 'a.json')).message).toMatch(/^a\.json:1:/)
    },
  )

  test('A syntax error is reported with line and column, also beside comments.', async () => {
    const error = await refused(
      { files: { 'a.json': '{\n  // mine\n  /* b */ "port": 1,\n  "host"\n}' } },
      'a.json',
    )
    expect(error.message).toBe('a.json:5:1: A colon was expected.')
    expect(error.problems[0]?.frame).toContain('5 │ }')
  })

  test('All mistakes in JSON are reported, each at its position.', async () => {
    const text = '{\n  // mine\n  "prot": 1,\n  "host": 2,\n  "port": 1, "port": 2\n}'
    expect((await refused({ files: { 'a.json': text } }, 'a.json')).message.split('\n')).toEqual([
      'a.json:5:22: The key "port" stands here a second time; the first value is lost. Remove or rename one of the two.',
      'a.json:3:3: There is no setting "prot" in the configuration. Did you mean "port"?',
      'a.json:4:11: "host" must be a text; got 2.',
    ])
  })

  test('A code frame never shows a key.', async () => {
    const text = `{
      // "apiKey": "sk-commentcommentcomment"
      "keys": ["alpha-beta"], "loses": 1,
      "upstreams": [{ "apiKey": "gamma-delta", "api_key": "epsilon-zeta", "url": 1,
        "headers": { "x-any": "eta-theta" }, "wrong": 1 }],
      "mcpServers": { "a": { "command": "x", "env": { "A": "iota-kappa" }, "wrong": 1 } }
    }`
    const error = await refused({ files: { 'a.json': text } }, 'a.json')
    const shown = JSON.stringify(error.problems)
    for (const secret of ['comment', 'alpha', 'gamma', 'epsilon', 'eta-', 'iota']) {
      expect(shown).not.toContain(secret)
    }
    expect(shown).toContain('**********')
    const broken = await refused({ files: { 'a.json': text.replace('"wrong"', 'wrong') } }, 'a.json')
    expect(broken.message).toMatch(/^a\.json:5:/)
    expect(JSON.stringify(broken.problems)).not.toMatch(/alpha|gamma|epsilon|eta-/)
  })

  test('JSON that is nested too deeply is refused.', async () => {
    const text = '['.repeat(200_000)
    expect((await refused({ files: { 'a.json': text } }, 'a.json')).message).toContain('Nested deeper')
  })
})

describe('programs', () => {
  const config = defineConfig({ port: 7 })

  test('A program exports the configuration, or a promise of it.', async () => {
    const programs = {
      'a.js': () => ({ default: config }),
      'b.mjs': () => ({ default: Promise.resolve(config) }),
    }
    expect((await load({ programs }, 'a.js'))?.config).toEqual({ port: 7 })
    expect((await load({ programs }, 'b.mjs'))?.config).toEqual({ port: 7 })
    expect(await load({ programs: { 'toolwire.config.ts': () => ({ default: config }) } })).toMatchObject({
      name: 'toolwire.config.ts',
    })
  })

  test('A program without an exported configuration is refused.', async () => {
    expect((await refused({ programs: { 'a.js': () => ({ config }) } }, 'a.js')).message).toBe(
      'a.js: It exports no configuration. Write: export default defineConfig({ … })',
    )
  })

  test('A mistake in a program is reported with the file.', async () => {
    const programs = { 'a.js': () => ({ default: { prot: 1 } }) }
    expect((await refused({ programs }, 'a.js')).message).toMatch(/^a\.js: There is no setting "prot"/)
  })

  test('A syntax error in a program is reported with line and column.', async () => {
    const slip = (): never => {
      throw new SyntaxError('Unexpected string')
    }
    const files = { 'a.js': 'export default {\n  port: 1,\n  host: "a" "b",\n}\n' }
    expect((await refused({ files, programs: { 'a.js': slip } }, 'a.js')).message).toBe(
      'a.js:3:13: It cannot be loaded: Unexpected string',
    )
    // The slip is in a file that it imports.
    const sound = { 'a.js': 'import "./b.js"\nexport default {}\n' }
    expect((await refused({ files: sound, programs: { 'a.js': slip } }, 'a.js')).message).toBe(
      'a.js: It cannot be loaded: Unexpected string',
    )
  })

  test('An error while a program runs is reported with the position from its stack.', async () => {
    const fail = (place: string) => (): never => {
      const error = new ReferenceError('nope is not defined')
      error.stack = `${error}\n    at f (file:///elsewhere/b.js:9:9)\n    at ${place}\n    at node:internal:1:2`
      throw error
    }
    const programs = {
      'a.js': fail(`file://${cwd}/a.js:3:9`),
      'b.js': fail('file:///elsewhere/c.js:3:9'),
    }
    expect((await refused({ programs }, 'a.js')).message).toMatch(/^a\.js:3:9: It cannot be loaded: nope/)
    expect((await refused({ programs }, 'b.js')).message).toMatch(/^b\.js: It cannot be loaded: nope/)
  })

  test('An error while a program runs is reported with its message.', async () => {
    const programs = {
      'a.js': () => {
        throw new SyntaxError('Unexpected token\nand more')
      },
      'b.ts': () => {
        throw Object.assign(new TypeError('Unknown file extension ".ts"'), {
          code: 'ERR_UNKNOWN_FILE_EXTENSION',
        })
      },
    }
    expect((await refused({ programs }, 'a.js')).message).toBe('a.js: It cannot be loaded: Unexpected token')
    expect((await refused({ programs }, 'b.ts')).message).toContain(
      'cannot run TypeScript. Use Node 22.18 or later, or write it in JavaScript or JSON.',
    )
  })
})
