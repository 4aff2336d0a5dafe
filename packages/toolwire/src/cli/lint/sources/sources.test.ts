/** Lint where tools live. */
import { defineTool, ToolRegistry } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { builtInWireSet } from '../../../config/wires.ts'
import { createMemoryIo } from '../../../terminal/memory-io.test-helper.ts'
import { parseArguments } from '../../arguments.ts'
import { commands } from '../../command-table.ts'
import { toolwire } from '../../memory-io.test-helper.ts'
import { run } from '../lint.ts'

const bad = {
  type: 'function',
  name: 'a b',
  description: 'x',
  parameters: { type: 'object', properties: {} },
}
const good = { ...bad, name: 'ab', strict: false }

interface Finding {
  readonly code: string
  readonly line?: number
  readonly example: string
  readonly path: (string | number)[]
  readonly fix?: object
}

async function lint(argv: readonly string[], setup: Parameters<typeof toolwire>[1]) {
  const result = await toolwire(['lint', '--from', 'responses', '--json', ...argv], setup)
  const { files = [] } = JSON.parse(result.stdout || '{}') as {
    files: { file: string; findings: Finding[] }[]
  }
  return { ...result, reports: files, findings: files.flatMap(({ findings }) => findings) }
}

describe('sources', () => {
  test('JSON lines are linted one by one, with the lines of the file.', async () => {
    const text = `${JSON.stringify(good)}\n\n${JSON.stringify(bad)}\n`
    const { findings } = await lint(['tools.jsonl'], { files: { 'tools.jsonl': text } })
    expect(findings.filter(({ code }) => code === 'name_characters').map(({ line }) => line)).toEqual([3])
    expect(findings.every(({ fix }) => fix === undefined)).toBe(true)
  })

  test('YAML is linted, with the lines of the file.', async () => {
    const text =
      'tools:\n  - type: function\n    name: "a b"\n    description: x\n    strict: false\n    parameters:\n      type: object\n      properties: {}\n'
    const { findings } = await lint(['tools.yaml'], { files: { 'tools.yaml': text } })
    expect(findings.map(({ code, line }) => [code, line])).toEqual([['name_characters', 3]])
  })

  test('The lines of YAML itself are shown under their place.', async () => {
    const text = 'tools:\n  - type: function\n    name: "a b"\n    description: x\n    strict: false\n'
    const { stdout } = await toolwire(['lint', '--from', 'responses', 't.yaml'], {
      files: { 't.yaml': text },
    })
    expect(stdout).toContain('t.yaml:3:11')
    expect(stdout).toContain('3 │     name: "a b"\n    │           ^^^^^\n')
    expect(stdout).toContain('like  "name": "a_b"')
    // What --fix cannot write into YAML is shown as an example.
    expect(stdout).toContain('like  "parameters": {"type":"object","properties":{}}')
  })

  test('How the lines of a file are read is said once.', async () => {
    const tool = JSON.stringify({ type: 'function', function: { name: 'f' } })
    const files = {
      't.jsonl': `${tool}\n${tool}\n`,
      'm.json': '[{"name":"f","input_schema":{"type":"object"}}]',
    }
    const { stderr } = await toolwire(['lint', 't.jsonl', 'm.json'], { files })
    expect(stderr.match(/t\.jsonl: Read as chat\./g)).toHaveLength(1)
  })

  test('YAML that cannot be read is reported with its place.', async () => {
    const { code, stderr } = await lint(['tools.yaml'], { files: { 'tools.yaml': 'a: [1\nb: 2\n' } })
    expect(code).toBe(2)
    expect(stderr).toMatch(/tools\.yaml:\d+:\d+: /)
  })

  test.each([
    [
      'tools made with defineTool',
      () => ({ weather: defineTool({ name: 'get_weather', handler: () => 1 }) }),
    ],
    ['a list as default', () => ({ default: [{ ...good, description: undefined }] })],
    ['a registry', () => ({ registry: new ToolRegistry([{ name: 'get_weather' }]) })],
    ['a configuration', () => ({ default: { tools: [{ name: 'get_weather', handler: () => 1 }] } })],
    ['tools by name', () => ({ tools: { a: { name: 'get_weather', inputSchema: { type: 'object' } } } })],
  ])('A module that exports %s is linted as its tools are sent.', async (_, program) => {
    const { findings, code } = await lint(['tools.js'], { programs: { 'tools.js': program } })
    expect(findings.map(finding => finding.code)).toContain('description_advised')
    expect(findings[0]?.line).toBeUndefined()
    expect(code).toBeLessThan(2)
  })

  test('A module without tools is refused.', async () => {
    const { code, stderr } = await lint(['x.js'], { programs: { 'x.js': () => ({ default: 5 }) } })
    expect([code, stderr]).toEqual([2, expect.stringContaining('it exports no tools.')])
  })

  test('The operations of an OpenAPI document are linted as functions.', async () => {
    const document = {
      openapi: '3.1.0',
      paths: {
        '/pets/{id}': {
          parameters: [{ $ref: '#/components/parameters/Id' }],
          get: { operationId: 'get pet', summary: 'Returns a pet' },
          post: {
            requestBody: { required: true, content: { 'application/json': { schema: { type: 'array' } } } },
          },
        },
      },
      components: {
        parameters: { Id: { name: 'id', in: 'path', required: true, schema: { type: 'integer' } } },
      },
    }
    const text = JSON.stringify(document, null, 2)
    const { findings } = await lint(['api.json'], { files: { 'api.json': text } })
    const lineOf = (words: string): number => text.split('\n').findIndex(line => line.includes(words)) + 1
    expect(findings.map(({ line }) => line)).toEqual(
      findings.map(({ code, path: [index] }) =>
        lineOf(code === 'name_characters' ? '"get pet"' : index === 0 ? '"get": {' : '"post": {'),
      ),
    )
    expect(findings.find(({ code }) => code === 'name_characters')?.example).toBe('"operationId": "get_pet"')
    expect(findings.map(({ code }) => code)).not.toContain('strict_unstated')
    expect(findings.map(({ code, path }) => [code, path[0]])).toEqual(
      expect.arrayContaining([
        ['name_characters', 0],
        ['description_advised', 1],
        ['array_without_items', 1],
      ]),
    )
  })

  test('A folder is searched, without what is not about tools.', async () => {
    const files = {
      'src/a.json': JSON.stringify([bad]),
      'src/deep/b.jsonl': JSON.stringify(bad),
      'src/package.json': '{"name":"x"}',
      'src/broken.json': '{',
      'src/node_modules/c.json': JSON.stringify([bad]),
      'src/readme.md': '#',
    }
    const programs = {
      'src/weather.tools.js': () => ({ default: [bad] }),
      'src/server.js': () => ({ default: [bad] }),
    }
    const { reports } = await lint(['src'], { files, programs })
    expect(reports.map(({ file }) => file)).toEqual(
      expect.arrayContaining(['src/a.json', 'src/deep/b.jsonl', 'src/weather.tools.js']),
    )
    expect(reports.map(({ file }) => file)).not.toContain('src/server.js')
    expect(reports.map(({ file }) => file)).not.toContain('src/node_modules/c.json')
  })

  test.each([
    ['package.json', { name: 'x', version: '1.0.0', description: 'A package' }],
    ['module.json', { name: 'x', type: 'module' }],
    ['manifest.json', { name: 'An extension', description: 'Of a browser', manifest_version: 3 }],
    ['schema.json', { type: 'object', properties: {} }],
    ['rows.json', [{ name: 'Oslo' }, { type: 'city' }, 1]],
  ])('In a folder, %s is not taken for tools.', async (name, value) => {
    const files = { [`src/${name}`]: JSON.stringify(value), 'src/tool.json': JSON.stringify(bad) }
    const { reports } = await lint(['src'], { files })
    expect(reports.map(({ file }) => file)).toEqual(['src/tool.json'])
  })

  test.each([
    ['on Messages', { name: 'a', input_schema: { type: 'object' } }],
    ['of an MCP server', { name: 'a', inputSchema: { type: 'object' } }],
    ['without a type', { name: 'a', parameters: { type: 'object' } }],
    ['without a schema', { type: 'function', name: 'a' }],
    ['that a provider runs', { type: 'web_search' }],
    ['in a list with others', [{ type: 'functon', name: 'a' }, bad]],
  ])('In a folder, a tool %s is found.', async (_, value) => {
    const { reports } = await lint(['src'], { files: { 'src/a.json': JSON.stringify(value) } })
    expect(reports.map(({ file }) => file)).toEqual(['src/a.json'])
  })
})

test('What may hold tools in a folder and cannot be loaded is named, once for each reason.', async () => {
  const broken = (): never => {
    throw new SyntaxError('Unexpected end of input')
  }
  const { code, stderr } = await lint(['src'], {
    files: { 'src/a.json': JSON.stringify([good]), 'src/broken.json': '{' },
    programs: { 'src/b.tools.js': broken, 'src/c.tools.js': broken },
  })
  expect(code).toBe(0)
  expect(stderr).toMatch(/^src\/b\.tools\.js and 1 other file: not read\. .*Unexpected end of input/m)
  expect(stderr).not.toContain('broken.json')
})

describe('accepted findings', () => {
  const text = (comment: string): string =>
    `[\n  ${comment}\n  ${JSON.stringify({ ...good, name: 'a b' })}\n]`

  test.each([
    ['// toolwire-lint-ignore name_characters', 0],
    ['// toolwire-lint-ignore', 0],
    ['// toolwire-lint-ignore other_code', 1],
    ['/* toolwire-lint-ignore-file name_characters */', 0],
  ])('The comment %s is followed.', async (comment, count) => {
    const { findings } = await lint(['a.json'], { files: { 'a.json': text(comment) } })
    expect(findings.filter(({ code }) => code === 'name_characters')).toHaveLength(count)
  })

  test('The configuration accepts codes, everywhere or in some files, and sets what flags set.', async () => {
    const config = { lint: { ignore: [{ codes: ['name_characters'], files: ['old.json'] }], maxWarnings: 9 } }
    const tool = JSON.stringify([{ ...good, name: 'a b' }])
    const files = { 'toolwire.config.json': JSON.stringify(config), 'old.json': tool, 'new.json': tool }
    const { reports } = await lint(['old.json', 'new.json'], { files })
    expect(reports.map(({ findings }) => findings.length)).toEqual([0, 1])
  })

  test('A repair keeps comments, and works beside commas behind the last value.', async () => {
    const nested = `{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"a":{"type":"STRING",},},},},},`
    const flat = `{"type":"function","name":"g","description":"d","parameters":{"type":"object","properties":{},},},`
    const files = { 'a.jsonc': `[\n  // mine\n  ${nested}\n  ${flat}\n]\n` }
    const argv = ['lint', '--from', 'chat', '--fix', 'a.jsonc']
    const result = await toolwire(argv, { files })
    expect(result.files['a.jsonc']).toContain('// mine\n')
    expect(result.files['a.jsonc']).toContain('"string"')
    expect(result.stdout).toContain('2 repairs made. No problems in 1 file.')
    expect((await toolwire(argv, { files: result.files })).stdout).toBe('No problems in 1 file.\n')
  })
})

test('Every finding has one advice and an example.', async () => {
  const files = { 'a.json': JSON.stringify([bad, { type: 'function', name: 'x' }]) }
  const { stdout } = await toolwire(['lint', '--from', 'responses', 'a.json'], { files })
  const blocks = stdout.split(/\n(?=\S+\[)/)
  for (const block of blocks) {
    expect(block.match(/^ {2}(?:help|fix ) {2}/gm), block).toHaveLength(1)
    expect(block.match(/^ {2}like {2}/gm), block).toHaveLength(1)
  }
})

test('With --watch, files are linted again when they change.', async () => {
  const { io, printed, files, change } = createMemoryIo({ files: { 'a.json': JSON.stringify([good]) } })
  const args = parseArguments(['--watch', '--from', 'responses', 'a.json'], commands.lint?.options ?? {})
  void run(args, io, builtInWireSet)
  const until = async (text: string): Promise<void> => {
    while (!printed.stdout.includes(text)) await new Promise(resolve => setImmediate(resolve))
  }
  await until('No problems')
  files['a.json'] = JSON.stringify([bad])
  while (printed.stderr.split('Waiting').length < 2) await new Promise(resolve => setImmediate(resolve))
  change()
  await until('name_characters')
})
