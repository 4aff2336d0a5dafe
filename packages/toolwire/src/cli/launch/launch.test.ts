/** From a command line to what an agent is given, with the machine replaced. */
import { describe, expect, test } from 'vitest'
import { builtInWireSet } from '../../config/wires.ts'
import { UsageError } from '../../terminal/errors.ts'
import { exitCodes } from '../exit-codes.ts'
import { argumentsOf, createStage, type Setup, type Stage } from '../serve/environment.test-helper.ts'
import { type Agent, agents } from './agents.ts'
import { launch } from './launch.ts'
import type { LaunchWorld } from './world.ts'

interface Run {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
}

interface LaunchStage extends Stage {
  readonly runs: Run[]
  readonly files: Map<string, string>
  launch(name: string, ...argv: string[]): Promise<number>
}

interface LaunchSetup extends Omit<Setup, 'fetch'> {
  /** The models of servers, by port. */
  readonly servers?: Readonly<Record<string, readonly string[]>>
  readonly installed?: boolean
  readonly keepUsage?: LaunchWorld['keepUsage']
  /** What the user does once the agent has ended, where the gateway stays. */
  readonly look?: () => Promise<void>
  /** What the agent does while it runs. */
  readonly work?: (run: Run, files: ReadonlyMap<string, string>) => Promise<number>
}

function createLaunchStage({
  servers = {},
  installed = true,
  work,
  look,
  keepUsage = async () => {},
  ...setup
}: LaunchSetup = {}): LaunchStage {
  const runs: Run[] = []
  const files = new Map<string, string>()
  const stage = createStage({
    ...setup,
    async fetch(url) {
      const models = servers[new URL(url).port]
      if (models === undefined) throw new TypeError('fetch failed')
      return Response.json({ object: 'list', data: models.map(id => ({ id })) })
    },
  })
  const world: LaunchWorld = {
    ...stage.world,
    findProgram: name => (installed ? `/bin/${name}` : undefined),
    async makeFile(name, text) {
      const path = `/tmp/own/${name}`
      files.set(path, text)
      return { path, remove: async () => void files.delete(path) }
    },
    async runProgram(_, args, env) {
      const run = { args, env }
      runs.push(run)
      return work?.(run, files) ?? 0
    },
    newKey: () => 'tw-key',
    keepUsage,
    untilInterrupted: async () => look?.(),
  }
  return {
    ...stage,
    runs,
    files,
    launch: (name, ...argv) =>
      launch(agentNamed(name), argumentsOf(name, argv), stage.io, world, builtInWireSet),
  }
}

function agentNamed(name: string): Agent {
  const agent = agents.find(each => each.name === name)
  if (agent === undefined) throw new Error(`There is no agent ${name}.`)
  return agent
}

const ollama = { 11434: ['nomic-embed-text', 'qwen3:8b', 'llama4'] }

describe('which model answers', () => {
  test('The first model of a server on this machine answers, and not one for embeddings.', async () => {
    const stage = createLaunchStage({ servers: ollama })
    expect(await stage.launch('claude')).toBe(0)
    expect(stage.runs[0]?.env).toMatchObject({ ANTHROPIC_MODEL: 'qwen3:8b', ANTHROPIC_AUTH_TOKEN: 'tw-key' })
    expect(stage.printed.stderr).toContain('Claude Code on qwen3:8b at ollama (http://127.0.0.1:11434/v1)')
  })

  test('The model that is asked for is looked for on all servers and at the hosts of the environment.', async () => {
    const servers = { ...ollama, 1234: ['gemma4'] }
    const env = { ANTHROPIC_API_KEY: 'sk-ant-1', OPENAI_API_KEY: 'sk-2' }
    const place = async (model: string): Promise<string> => {
      const stage = createLaunchStage({ servers, env })
      await stage.launch('codex', '--model', model)
      return / at (\S+) /.exec(stage.printed.stderr)?.[1] ?? stage.printed.stderr
    }
    expect(await place('llama4')).toBe('ollama')
    expect(await place('gemma4')).toBe('lmstudio')
    expect(await place('claude-opus-5')).toBe('anthropic')
    expect(await place('gpt-6-sol')).toBe('openai')
  })

  test('A model that nobody has is refused with the names of those that there are.', async () => {
    const { launch } = createLaunchStage({ servers: ollama })
    const failure = await launch('codex', '--model', 'gpt-5').catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UsageError)
    expect(failure).toMatchObject({ hint: expect.stringContaining('ollama has qwen3:8b, llama4.') })
  })

  test('With the key of its own host an agent keeps its own models.', async () => {
    const stage = createLaunchStage({ env: { ANTHROPIC_API_KEY: 'sk-ant-1' } })
    await stage.launch('claude')
    expect(stage.runs[0]?.env.ANTHROPIC_MODEL).toBeUndefined()
    expect(stage.printed.stderr).toContain('its own models at anthropic')
  })

  test('With the key of another host a model must be named.', async () => {
    const { launch } = createLaunchStage({ env: { ANTHROPIC_API_KEY: 'sk-ant-1' } })
    await expect(launch('codex')).rejects.toThrow('Which model is Codex to use?')
    await expect(launch('opencode')).rejects.toThrow('Which model is opencode to use?')
  })

  test('Without any model the message says what was looked for and what to do.', async () => {
    const { launch } = createLaunchStage()
    const failure = await launch('codex').catch((error: unknown) => error)
    expect(failure).toMatchObject({
      message: expect.stringContaining('Ollama (11434), LM Studio (1234), vLLM (8000), llama.cpp (8080)'),
      hint: expect.stringContaining('toolwire init'),
    })
  })

  test('A server without models is told from no server.', async () => {
    const { launch } = createLaunchStage({ servers: { 11434: ['nomic-embed-text'] } })
    await expect(launch('codex')).rejects.toThrow(
      'Ollama answers at http://127.0.0.1:11434/v1, but has no model yet.',
    )
  })

  test('A configuration is used instead of looking, and its names stay its own.', async () => {
    const config = {
      upstreams: [
        { name: 'far', wire: 'messages', baseUrl: 'https://far.test/v1', models: ['claude-*', 'kimi'] },
        { name: 'near', wire: 'chat', baseUrl: 'http://near.test/v1', rename: { '*': 'glm' } },
      ],
    }
    const stage = createLaunchStage({
      servers: ollama,
      files: { 'toolwire.config.json': JSON.stringify(config) },
    })
    await stage.launch('opencode')
    expect(stage.runs[0]?.env.OPENCODE_CONFIG_CONTENT).toContain('"model":"toolwire/kimi"')
    expect(stage.printed.stderr).toContain('at far (https://far.test/v1)')
  })

  test('Flags name an upstream on the spot.', async () => {
    const stage = createLaunchStage({ servers: ollama })
    await stage.launch('codex', '--upstream', 'messages=http://there.test/v1', '--model', 'kimi')
    expect(stage.printed.stderr).toContain('Codex on kimi at messages (http://there.test/v1)')
  })
})

test('A model that does not answer is warned of before the agent starts.', async () => {
  let told = ''
  const stage = createLaunchStage({
    async work() {
      told = stage.printed.stderr
      return 0
    },
  })
  await stage.launch('claude', '--upstream', 'chat=http://there.test/v1', '--model', 'kimi')
  expect(told).toContain('warning: Upstream chat does not answer at http://there.test/v1')
})

describe('what the agent is given', () => {
  test('Codex gets a provider by flags in front of its own arguments.', async () => {
    const stage = createLaunchStage({ servers: ollama })
    await stage.launch('codex', '--model', 'llama4', '--', 'exec', '--json', 'do it')
    const [{ args = [], env } = {}] = stage.runs
    expect(args.slice(-3)).toEqual(['exec', '--json', 'do it'])
    expect(args.join(' ')).toMatch(/base_url="http:\/\/127\.0\.0\.1:\d+\/v1"/)
    expect(args).toContain('model="llama4"')
    expect(env?.TOOLWIRE_KEY).toBe('tw-key')
  })

  test('Codex is told the window of a model where it is known.', async () => {
    const upstreams = [{ name: 'up', wire: 'chat', baseUrl: 'http://there.test/v1', models: ['m', 'n'] }]
    const [known = {}] = upstreams.map(up => ({ ...up, profile: { contextWindow: 32_768 } }))
    for (const [upstream, flags] of [
      [known, ['model_context_window=32768']],
      [upstreams[0], []],
    ]) {
      const files = { 'toolwire.config.json': JSON.stringify({ upstreams: [upstream] }) }
      const stage = createLaunchStage({ files })
      await stage.launch('codex', '--model', 'm')
      expect(stage.runs[0]?.args.filter(arg => arg.startsWith('model_context'))).toEqual(flags)
    }
  })

  test('Where nobody tells the window, the user can, and is told so.', async () => {
    const stage = createLaunchStage({ servers: ollama })
    await stage.launch('claude')
    expect(stage.printed.stderr).toContain('the window of qwen3:8b is not known; --window tells Claude Code')
    const told = createLaunchStage({ servers: ollama })
    await told.launch('claude', '--window', '32768')
    expect(told.runs[0]?.env.CLAUDE_CODE_MAX_CONTEXT_TOKENS).toBe('32768')
    expect(told.printed.stderr).not.toContain('--window')
    const dry = createLaunchStage({ servers: ollama })
    await dry.launch('codex', '--dry-run', '--window', '8192')
    expect(dry.printed.stdout).toContain('model_context_window=8192')
    await expect(dry.launch('codex', '--window', '32k')).rejects.toThrow(
      '--window must be a number of tokens; got "32k".',
    )
  })

  test('Variables that would win over these are unset.', async () => {
    const stage = createLaunchStage({ servers: ollama, env: { ANTHROPIC_API_KEY: 'sk-ant-1', PATH: '/bin' } })
    await stage.launch('claude', '--model', 'llama4')
    const { env = {} } = stage.runs[0] ?? {}
    expect('ANTHROPIC_API_KEY' in env).toBe(true)
    expect(env.ANTHROPIC_API_KEY).toBeUndefined()
    expect(env.PATH).toBe('/bin')
  })

  test('A file for the agent lives as long as the agent.', async () => {
    let seen = ''
    const stage = createLaunchStage({
      servers: ollama,
      async work({ args }, files) {
        seen = files.get(args[1] ?? '') ?? ''
        return 3
      },
    })
    expect(await stage.launch('continue')).toBe(3)
    expect(JSON.parse(seen)).toMatchObject({ models: [{ model: 'qwen3:8b', apiKey: 'tw-key' }] })
    expect(stage.files.size).toBe(0)
  })

  test.each(agents)('No place of the row of $name is left unfilled.', async ({ name }) => {
    let text = ''
    const stage = createLaunchStage({
      servers: { 11434: ['odd "name" \\ {url}'] },
      async work({ args, env }, files) {
        text = JSON.stringify([args, env, [...files.values()]])
        return 0
      },
    })
    await stage.launch(name)
    expect(text.replaceAll('{url}', '').match(/\{(url|key|model|file)[:}]/)).toBeNull()
  })
})

describe('the run', () => {
  test('The gateway answers with the key of this run only, and the summary says what came of it.', async () => {
    const statuses: number[] = []
    const stage = createLaunchStage({
      async work({ env }) {
        for (const key of ['tw-key', 'another']) {
          const answer = await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages`, {
            method: 'POST',
            headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
            body: JSON.stringify({
              model: 'claude-any',
              max_tokens: 99,
              top_k: 3,
              messages: [{ role: 'user', content: 'hi' }],
            }),
          })
          statuses.push(answer.status)
        }
        return 0
      },
    })
    expect(await stage.launch('claude', '--demo')).toBe(0)
    expect(statuses).toEqual([200, 401])
    expect(stage.printed.stderr).toMatch(/1 request · \d+ tokens in, \d+ out · 1 lost: 1 field_dropped/)
    expect(stage.printed.stderr).not.toContain('POST /v1/messages')
  })

  test('The summary has the cost where prices are known, and says of which models they are not.', async () => {
    const prices = [{ model: 'demo', input: 1_000, output: 2_000 }]
    const request = async (url: string | undefined, model: string): Promise<void> => {
      await fetch(`${url}/v1/messages`, {
        method: 'POST',
        headers: { authorization: 'Bearer tw-key', 'content-type': 'application/json' },
        body: JSON.stringify({ model, max_tokens: 99, messages: [{ role: 'user', content: 'hi' }] }),
      })
    }
    const summaryOf = async (config: object, ...models: string[]): Promise<string> => {
      const stage = createLaunchStage({
        files: { 'toolwire.config.json': JSON.stringify(config) },
        async work({ env }) {
          for (const model of models) await request(env.ANTHROPIC_BASE_URL, model)
          return 0
        },
      })
      await stage.launch('claude', '--demo')
      return stage.printed.stderr
    }
    expect(await summaryOf({ prices }, 'demo')).toMatch(/ out · \$\d[\d.]* · nothing lost/)
    expect(await summaryOf({}, 'demo')).toMatch(/ out · nothing lost/)
    const some = await summaryOf({ prices }, 'demo', 'demo-reasoning')
    expect(some).toMatch(/ out · at least \$\d[\d.]*, no price is known of demo-reasoning · nothing lost/)
  })

  test('The summary links to the inspector, which stays open if that was asked for.', async () => {
    const links = (stderr: string): string[] => stderr.match(/inspector: .*/g) ?? []
    const left = createLaunchStage()
    await left.launch('claude', '--demo')
    expect(links(left.printed.stderr)[1]).toMatch(
      /^inspector: http:\/\/127\.0\.0\.1:\d+\/ \(closed now; --stay keeps it open\)$/,
    )
    let signedIn = 0
    const stage = createLaunchStage({
      async look() {
        const [, page = '', code] = /(\S+)#code=(\S+) \(open/.exec(stage.printed.stderr) ?? []
        const answer = await fetch(new URL('/toolwire/session', page), {
          method: 'POST',
          headers: { 'content-type': 'application/json', origin: new URL(page).origin },
          body: JSON.stringify({ code }),
        })
        signedIn = answer.status
      },
    })
    await stage.launch('claude', '--demo', '--stay')
    expect(links(stage.printed.stderr)[1]).toContain('(open until Ctrl-C)')
    expect(signedIn).toBe(200)
  })

  test('What the run used is kept for `toolwire usage`, without the key that nobody has after it.', async () => {
    const kept: [rows: readonly object[], kind: string][] = []
    const warnings: string[] = []
    for (const fails of [false, true]) {
      const stage = createLaunchStage({
        async work({ env }) {
          await fetch(`${env.ANTHROPIC_BASE_URL}/v1/messages`, {
            method: 'POST',
            headers: { authorization: 'Bearer tw-key', 'content-type': 'application/json' },
            body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
          })
          return 0
        },
        async keepUsage(rows, { kind }) {
          if (fails) throw new Error('The disk is full.')
          kept.push([rows, kind])
        },
      })
      expect(await stage.launch('claude', '--demo')).toBe(0)
      warnings.push(...(stage.printed.stderr.match(/warning: .*/g) ?? []))
    }
    const row = { model: 'm', upstream: 'demo', owner: '', requests: 1, input: expect.any(Number) }
    expect(kept).toEqual([[[expect.objectContaining(row)], 'sqlite']])
    expect(warnings).toEqual(['warning: "toolwire usage" will not know of this run. The disk is full.'])
  })

  test('A run without requests says so.', async () => {
    const stage = createLaunchStage({ servers: ollama })
    await stage.launch('codex')
    expect(stage.printed.stderr).toContain('no request came.')
  })

  test('An agent that is not installed is named with the command that installs it.', async () => {
    const { launch } = createLaunchStage({ installed: false, servers: ollama })
    const failure = await launch('claude').catch((error: unknown) => error)
    expect(failure).toMatchObject({
      message: 'Claude Code is not installed: there is no "claude" on the PATH.',
      hint: 'Install it with: npm install -g @anthropic-ai/claude-code',
    })
  })

  test('A dry run prints what would be set, and starts nothing.', async () => {
    const stage = createLaunchStage({ installed: false, servers: ollama })
    expect(await stage.launch('claude', '--dry-run', '--', '-p', 'say hi')).toBe(exitCodes.ok)
    expect(stage.runs).toEqual([])
    expect(stage.printed.stdout).toContain('export ANTHROPIC_BASE_URL=http://127.0.0.1:PORT\n')
    expect(stage.printed.stdout).toContain('unset ANTHROPIC_API_KEY\n')
    expect(stage.printed.stdout).toContain("# claude -p 'say hi'\n")
    expect(stage.printed.stderr).toContain('npm install -g @anthropic-ai/claude-code')
  })

  test('With --json, a dry run is told as "toolwire env --json" tells it.', async () => {
    const stage = createLaunchStage({ servers: ollama })
    expect(await stage.launch('claude', '--dry-run', '--json', '--', '-p', 'hi')).toBe(exitCodes.ok)
    expect(JSON.parse(stage.printed.stdout)).toMatchObject({
      command: 'claude',
      args: ['-p', 'hi'],
      env: { ANTHROPIC_BASE_URL: 'http://127.0.0.1:PORT' },
      unset: expect.arrayContaining(['ANTHROPIC_API_KEY']),
    })
    await expect(stage.launch('claude', '--json')).rejects.toThrow('--json goes with --dry-run.')
  })
})
