/** What users install works: on Node, in a browser bundle, under a policy that forbids evaluating text. */
import { existsSync, lstatSync, readdirSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { installPacked } from '../support/house/packed.ts'
import { root } from '../support/house/source.ts'

const installed = installPacked()

/** Entry points of core and how many kilobytes each may weigh, minified and gzipped. */
const budgets = {
  '@toolwire/core': 173,
  '@toolwire/core/exchange': 124,
  '@toolwire/core/tools': 35,
  '@toolwire/core/run': 133,
  '@toolwire/core/schema': 27,
  '@toolwire/core/json': 1.7,
  '@toolwire/core/lint': 52,
  '@toolwire/core/openai': 133,
  '@toolwire/core/diagnostics': 15,
  '@toolwire/core/steps': 34,
  '@toolwire/core/tokens': 88,
  '@toolwire/core/testing': 173,
}

async function bundle(
  entry: string,
  names = '*',
): Promise<{ code: string; kilobytes: number; inputs: string[] }> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export ${names} from '${entry}'`, resolveDir: installed.directory },
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    // Loaded when counting is asked for, and only then.
    external: ['gpt-tokenizer/*'],
    metafile: true,
  })
  const [file] = outputFiles
  const code = file?.text ?? ''
  return { code, kilobytes: gzipSync(code).length / 1024, inputs: Object.keys(metafile.inputs) }
}

describe.each(Object.entries(budgets))('The entry point %s', (entry, budget) => {
  test(`The bundle of ${entry} weighs at most ${budget} kB in a browser.`, async () => {
    const { kilobytes } = await bundle(entry)
    expect(kilobytes).toBeLessThanOrEqual(budget)
    // A budget far above the truth guards nothing.
    expect(kilobytes).toBeGreaterThan(budget * 0.8)
  })

  test(`The bundle of ${entry} uses no Node built-in and evaluates no text.`, async () => {
    const { code, inputs } = await bundle(entry)
    expect(code).not.toMatch(/\beval\(|new Function\b|['"]node:/)
    for (const name of builtinModules) expect(inputs).not.toContain(name)
  })

  test(`The bundle of ${entry} loads where evaluating text is forbidden.`, async () => {
    const file = join(installed.directory, `${entry.replaceAll(/\W/g, '_')}.mjs`)
    writeFileSync(file, (await bundle(entry)).code)
    const script = `const m = await import(${JSON.stringify(file)}); process.stdout.write(String(Object.keys(m).length))`
    const names = installed.run(process.execPath, [
      '--disallow-code-generation-from-strings',
      '--input-type=module',
      '-e',
      script,
    ])
    expect(Number(names)).toBeGreaterThan(0)
  })
})

test('A bundle that only converts tools contains no streams.', async () => {
  const { kilobytes } = await bundle('@toolwire/core', '{ convertTools, convertToolParams, encodeTools }')
  expect(kilobytes).toBeLessThanOrEqual(47)
})

test('Converting tools between two wires that are given as definitions takes at most 31 kB.', async () => {
  const { kilobytes } = await bundle('@toolwire/core/tools', '{ convertTools, chat, messages }')
  expect(kilobytes).toBeLessThanOrEqual(31)
})

test.each([
  ['chat', 'messages'],
  ['chat', 'responses'],
  ['responses', 'messages'],
])('A bundle of an exchange between %s and %s contains no third wire.', async (from, to) => {
  const { kilobytes } = await bundle('@toolwire/core/exchange', `{ createExchange, ${from}, ${to} }`)
  expect(kilobytes).toBeLessThanOrEqual(105)
})

test('A bundle of only exchanges, or of only tools for OpenAI, does not contain the rest.', async () => {
  const exchange = await bundle('@toolwire/core', '{ createExchange }')
  expect(exchange.kilobytes).toBeLessThanOrEqual(136)
  const tools = await bundle('@toolwire/core/openai', '{ createToolsJsonForResponsesApi }')
  expect(tools.kilobytes).toBeLessThanOrEqual(47)
})

test('Validation, conversion and lint run where evaluating text is forbidden.', () => {
  const script = `
    import { convertTools } from '@toolwire/core'
    import { createValidator } from '@toolwire/core/schema'
    import { lintTools } from '@toolwire/core/lint'
    const parameters = { type: 'object', properties: { n: { type: 'integer', pattern: '^a+$' } }, required: ['n'] }
    const { value } = convertTools([{ type: 'function', function: { name: 'f', parameters } }], { from: 'chat', to: 'responses', strict: 'strictify' })
    const { ok } = createValidator(parameters).validate({ n: 'x' })
    const { findings } = lintTools(value, { wire: 'responses' })
    process.stdout.write(JSON.stringify({ strict: value[0].strict, ok, findings: findings.length >= 0 }))`
  const out = installed.run(process.execPath, [
    '--disallow-code-generation-from-strings',
    '--input-type=module',
    '-e',
    script,
  ])
  expect(JSON.parse(out)).toEqual({ strict: true, ok: false, findings: true })
})

describe('The application alone', () => {
  const { alone } = installed

  test('All that a user installs takes at most 42 MB on Node 20, without the tokenizer and spans, which are optional.', () => {
    const bytes = (folder: string): number =>
      readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
        const path = join(folder, entry.name)
        return sum + (entry.isDirectory() ? bytes(path) : lstatSync(path).size)
      }, 0)
    const folder = join(alone.directory, 'node_modules')
    expect(existsSync(join(folder, 'gpt-tokenizer'))).toBe(false)
    expect(existsSync(join(folder, '@toolwire'))).toBe(false)
    expect(bytes(folder) / 2 ** 20).toBeLessThanOrEqual(42)
  })

  test('The command converts as installed.', () => {
    const tools = JSON.stringify([
      { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
    ])
    const out = alone.run(
      'npx',
      ['--no-install', 'toolwire', 'convert', 'tools', '--from', 'chat', '--to', 'messages', '-'],
      tools,
    )
    expect(JSON.parse(out)).toEqual([{ name: 'f', input_schema: { type: 'object', properties: {} } }])
  })

  test('The command counts without the tokenizer, and says that it estimates.', () => {
    const request = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] })
    const out = alone.run('npx', ['--no-install', 'toolwire', 'tokens', '--json', '-'], request)
    expect(JSON.parse(out)).toMatchObject({
      total: expect.any(Number),
      method: expect.stringContaining('estimate'),
    })
  })

  test('The command finds its agents and prints what they are given.', () => {
    const out = alone.run('npx', ['--no-install', 'toolwire', 'env', 'claude', '--json'])
    expect(JSON.parse(out)).toMatchObject({ env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4141' } })
  })

  test('The gateway answers on another wire as installed.', () => {
    const script = `
      import { createServer } from 'node:http'
      import { createGateway, createNodeServer } from 'toolwire/gateway'
      const open = server => new Promise(done => server.listen(0, '127.0.0.1', () => done('http://127.0.0.1:' + server.address().port)))
      const choice = { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello.' } }
      const model = createServer((_, answer) => answer.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [choice] })))
      const gateway = createGateway({ upstreams: [{ name: 'm', wire: 'chat', baseUrl: (await open(model)) + '/v1' }] })
      const server = createNodeServer(gateway)
      const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] })
      const answer = await fetch((await open(server)) + '/v1/messages', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      process.stdout.write(JSON.stringify((await answer.json()).content))
      process.exit()`
    const out = alone.run(process.execPath, ['--input-type=module', '-e', script])
    expect(JSON.parse(out)).toEqual([{ type: 'text', text: 'Hello.' }])
  })

  test('Its types need no other package than those of Node.', () => {
    const program = `
      import { defineConfig, defineTool, type ToolwireConfig } from 'toolwire'
      import { createGateway, createMemoryStore, type Gateway, type ResponseRecord, type Store, StoreError } from 'toolwire/gateway'
      const parameters = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const
      const tool = defineTool({ name: 'f', parameters, handler: ({ n }) => n.toFixed() })
      export const config: ToolwireConfig = defineConfig({ tools: [tool] })
      class ReadOnly implements Pick<Store, 'saveResponse'> {
        async saveResponse({ id }: ResponseRecord): Promise<void> {
          throw new StoreError('unavailable', \`Nothing is stored, so \${id} is not.\`)
        }
      }
      const store: Store = Object.assign(createMemoryStore(), new ReadOnly())
      export const gateway: Gateway = createGateway({ upstreams: [], store })
      // @ts-expect-error A type that was not found would be any.
      export const wrong: number = gateway`
    writeFileSync(join(alone.directory, 'program.ts'), program)
    const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')]
    const strict = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
    const compiler = join(root, 'node_modules/typescript/bin/tsc')
    alone.run(process.execPath, [compiler, ...strict, ...types, 'program.ts'])
  })
})

test('The bundles of core for Node export what the compiled files export.', () => {
  const script = `
    import { readFileSync } from 'node:fs'
    const different = []
    const name = '@toolwire/core'
    const folder = 'node_modules/' + name + '/'
    const { exports } = JSON.parse(readFileSync(folder + 'package.json', 'utf8'))
    for (const [entry, { node, default: compiled }] of Object.entries(exports)) {
      if (compiled === undefined) continue
      const [a, b, c] = await Promise.all([
        import(name + entry.slice(1)),
        ...[node, compiled].map(path => import('./' + folder + path)),
      ])
      if (a !== b || String(Object.keys(b)) !== String(Object.keys(c))) different.push(name + entry)
    }
    process.stdout.write(JSON.stringify(different))`
  const file = join(installed.directory, 'entries.mjs')
  writeFileSync(file, script)
  expect(JSON.parse(installed.run(process.execPath, [file]))).toEqual([])
})

test('The gateway runs a tool that was defined with a core installed beside it.', () => {
  const script = `
    import { defineTool } from '@toolwire/core'
    import { calls, createScriptedModel, says } from '@toolwire/core/testing'
    import { createFetchHandler, createFetchTransport, createGateway } from 'toolwire/gateway'
    const tools = [defineTool({ name: 'now', description: 'The time', handler: () => 'noon' })]
    const model = createScriptedModel({ wire: 'chat', script: ({ results }) => results.length === 0 ? calls({ name: 'now', arguments: {} }) : says('It is ' + results[0].text) })
    const transport = createFetchTransport(model.fetch)
    const gateway = createGateway({ upstreams: [{ name: 'm', wire: 'chat', baseUrl: 'http://m.test/v1', transport }], tools })
    const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] })
    const request = new Request('http://127.0.0.1/v1/messages', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answer = await createFetchHandler(gateway)(request)
    process.stdout.write(await answer.text())
    process.exit()`
  const out = installed.run(process.execPath, ['--input-type=module', '-e', script])
  expect(out).toContain('It is noon')
})

test.each(['core', 'toolwire'] as const)(
  'The check of packages by publint finds nothing wrong with %s.',
  name => {
    installed.run(process.execPath, [
      join(root, 'node_modules/publint/src/cli.js'),
      'run',
      installed.tarballs[name],
      '--strict',
    ])
  },
)

test('The types of core resolve for every module system that can use it.', () => {
  const cli = join(root, 'node_modules/@arethetypeswrong/cli/dist/index.js')
  installed.run(process.execPath, [
    cli,
    installed.tarballs.core,
    '--profile',
    'esm-only',
    '--no-emoji',
    '--no-color',
  ])
})
