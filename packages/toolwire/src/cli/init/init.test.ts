import { expect, test } from 'vitest'
import { loadConfig } from '../../config/load-config.ts'
import { loadValidSettings } from '../../config/read-settings.ts'
import { createModelRouter } from '../../gateway/upstream/route-model.ts'
import {
  createMemoryIo,
  cwd,
  type MemoryIo,
  type MemorySetup,
  toBytes,
} from '../../terminal/memory-io.test-helper.ts'
import { argumentsOf, createStage } from '../serve/environment.test-helper.ts'
import { init } from './init.ts'

const path = `${cwd}/toolwire.config.jsonc`

interface InitSetup extends MemorySetup {
  readonly servers?: Readonly<Record<string, readonly string[]>>
}

async function initWith(
  argv: readonly string[],
  { servers = {}, ...setup }: InitSetup = {},
): Promise<MemoryIo & { readonly code: number }> {
  const memory = createMemoryIo(setup)
  const { world } = createStage({
    async fetch(url) {
      const models = servers[new URL(url).port]
      if (models === undefined) throw new TypeError('fetch failed')
      return Response.json({ object: 'list', data: models.map(id => ({ id })) })
    },
  })
  const io = { ...memory.io, stdinIsTTY: setup.isTTY === true }
  return { ...memory, code: await init(argumentsOf('init', argv), io, world) }
}

const ollama = { 11434: ['qwen3:8b', 'llama4'] }

test('What was found is written with comments, a schema, and a model for all other names.', async () => {
  const { files, io, printed, code } = await initWith([], {
    servers: ollama,
    env: { ANTHROPIC_API_KEY: 'canary' },
  })
  expect(code).toBe(0)
  const text = String(files[path])
  expect(text).toContain('"$schema": "https://unpkg.com/toolwire@')
  expect(text).toContain('// Ollama. It has qwen3:8b, llama4.')
  expect(text).not.toContain('canary')
  const found = await loadConfig(path, io)
  expect(found?.config.upstreams).toMatchObject([
    { name: 'ollama', models: ['qwen3:8b', 'llama4'], rename: { '*': 'qwen3:8b' } },
    { name: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY', models: ['claude-*'] },
  ])
  expect(printed.stdout).toContain('Found Ollama at http://127.0.0.1:11434/v1: qwen3:8b, llama4')
  expect(printed.stdout).toContain('Wrote toolwire.config.jsonc. Next: "toolwire serve", or an agent at once')
})

test.each([
  ['ANTHROPIC_API_KEY', 'claude-sonnet-5', 'anthropic', 'claude-sonnet-5'],
  ['ANTHROPIC_API_KEY', 'gpt-6', 'ollama', 'qwen3:8b'],
  ['OPENROUTER_API_KEY', 'openrouter/z-ai/glm-5', 'openrouter', 'z-ai/glm-5'],
  ['OPENROUTER_API_KEY', 'claude-sonnet-5', 'ollama', 'qwen3:8b'],
])(
  'Beside a local server, a key of the environment is of use: with %s, %s goes to %s as %s.',
  async (variable, asked, name, model) => {
    const { io } = await initWith([], { servers: ollama, env: { [variable]: 'canary' } })
    const { settings } = await loadValidSettings({ file: path }, io, {
      env: io.env,
      platform: 'linux',
      home: '/home/me',
    })
    const to = createModelRouter(settings.upstreams)(asked)
    expect([to.upstream.name, to.model, to.others ?? []]).toEqual([name, model, []])
  },
)

test('Where nothing is found the file is still right, and shows how a server is added.', async () => {
  const { files, io, printed } = await initWith([])
  expect(printed.stdout).toContain('Found no model server (looked for Ollama (11434)')
  expect(printed.stdout).toContain('until then the demo model answers')
  expect(printed.stdout).not.toContain('toolwire codex')
  expect((await loadConfig(path, io))?.config.upstreams).toEqual([])
  expect(files[path]).toContain('// {\n    //   "name": "local"')
})

test.each([
  ['\n', 'qwen3:8b'],
  ['2\n', 'llama4'],
  ['9\nllama4\n', 'llama4'],
  ['', 'qwen3:8b'],
])('On a terminal it asks for the usual model; the answer %j means %s.', async (stdin, model) => {
  const { files, printed } = await initWith([], { servers: ollama, isTTY: true, stdin })
  expect(printed.stdout).toContain('Which model is to answer')
  expect(files[path]).toContain(`"*": "${model}"`)
})

test('Once it is answered it lets go of the terminal, so that the command ends.', async () => {
  let isHeld = true
  await initWith([], {
    servers: ollama,
    isTTY: true,
    async *stdin() {
      try {
        yield toBytes('wat\n2\n')
        await new Promise(() => {})
      } finally {
        isHeld = false
      }
    },
  })
  expect(isHeld).toBe(false)
})

test('With --yes or --model it asks nothing.', async () => {
  for (const argv of [['--yes'], ['--model', 'llama4']]) {
    const { printed } = await initWith(argv, { servers: ollama, isTTY: true })
    expect(printed.stdout).not.toContain('Which model')
  }
})

test('A model that no server has is refused, with what there is.', async () => {
  await expect(initWith(['--model', 'zzz'], { servers: ollama })).rejects.toMatchObject({
    message: 'No model server on this machine has the model "zzz".',
    hint: 'Ollama has qwen3:8b, llama4.',
  })
  await expect(initWith(['--model', 'zzz'])).rejects.toThrow('No model server on this machine')
})

test('A name with a line end does not leave its comment.', async () => {
  const { io } = await initWith([], { servers: { 11434: ['a\n"port": 1, //', 'b'] } })
  expect((await loadConfig(path, io))?.config.port).toBe(4141)
})

test('A configuration of any form is not overwritten, unless that is wanted.', async () => {
  const files = { 'toolwire.config.json': '{}' }
  await expect(initWith([], { files })).rejects.toThrow(
    'There is a configuration already: toolwire.config.json.',
  )
  await expect(initWith(['mine.json'], { files: { 'mine.json': '{}' } })).rejects.toThrow(
    'already: mine.json',
  )
  expect((await initWith(['mine.json', '--force'], { files: { 'mine.json': '{}' } })).written).toHaveLength(1)
})

test('With --print nothing but the file goes to stdout, and none is written.', async () => {
  const { printed, written } = await initWith(['--print'], { servers: ollama })
  expect(written).toEqual([])
  expect(printed.stdout.startsWith('{\n')).toBe(true)
  expect(printed.stderr).toContain('Found Ollama')
})

test('With --json, what was found and written is told to programs.', async () => {
  const env = { ANTHROPIC_API_KEY: 'canary' }
  const { files, printed } = await initWith(['--json'], { servers: ollama, env, isTTY: true })
  expect(JSON.parse(printed.stdout)).toEqual({
    file: 'toolwire.config.jsonc',
    servers: [{ title: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', models: ['qwen3:8b', 'llama4'] }],
    hosts: [expect.objectContaining({ name: 'anthropic', apiKeyEnv: 'ANTHROPIC_API_KEY' })],
    model: 'qwen3:8b',
  })
  expect(printed.stdout).not.toContain('canary')
  expect(files[path]).toContain('$schema')
  const shown = await initWith(['--json', '--print'], { servers: ollama })
  expect(JSON.parse(shown.printed.stdout)).toMatchObject({ text: expect.stringContaining('$schema') })
  expect(shown.files[path]).toBeUndefined()
})
