/**
 * Real agents whose context is full, against a scripted model on every wire: each has its conversation summarised and
 * then ends its task. Codex asks the gateway for the summary, over its WebSocket; Claude Code asks the model itself.
 * `npm run check:agents` runs them.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { BuiltInWire } from '@toolwire/core'
import { calls, createScriptedModel, type SeenRequest, says } from '@toolwire/core/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agents } from '../../packages/toolwire/src/cli/launch/agents.ts'
import { createGateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import { createNodeServer } from '../../packages/toolwire/src/gateway/http/node-server.ts'
import { createMemoryStore } from '../../packages/toolwire/src/store/memory-store.ts'
import { close, listen } from '../support/gateway/upstream.ts'
import { collectFacts } from '../support/gateway/watch-facts.ts'
import { transportTo, upstreamTo } from '../support/open-responses/gateway.ts'
import { testedAgents } from './agents.ts'
import { installAgent } from './install.ts'

const isWanted = (name: string): boolean => {
  const { TOOLWIRE_AGENTS: wanted = '' } = process.env
  return wanted === 'all' || wanted.split(',').includes(name)
}
const minutes = 60_000
const lastWords = 'Both files are done.'
const mark = 'SUMMARY: the word is CANARY, and it is still to be written.'

interface Stage {
  readonly url: string
  readonly folder: string
  readonly requests: readonly SeenRequest[]
  readonly targets: () => readonly (string | undefined)[]
  start(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess
}

interface Steps {
  read(path: string): { readonly name: string; readonly arguments: object }
  write(path: string, text: string): { readonly name: string; readonly arguments: object }
}

/** The model reads, says that its context is full, and writes once it has seen the summary. */
async function open(
  name: string,
  wire: BuiltInWire,
  asksForSummary: (body: string) => boolean,
  stopsAfterReading = false,
): Promise<Stage> {
  const agent = agents.find(each => each.name === name)
  const tested = testedAgents.find(each => each.name === name)
  if (agent === undefined || tested === undefined) throw new Error(`No agent ${name}.`)
  const { bin } = await installAgent(agent.package, agent.tried, tested.setup)
  const folder = await mkdtemp(join(tmpdir(), `toolwire-${name}-`))
  await mkdir(join(folder, 'home', '.codex'), { recursive: true })
  await writeFile(join(folder, 'input.txt'), 'The word is CANARY.\n')
  const requests: SeenRequest[] = []
  const tools: Steps = tested.tools
  const usage = { input: 500_000, output: 50 }
  const model = createScriptedModel({
    wire,
    pairing: 'refuse',
    script(request) {
      const body = JSON.stringify(request.body)
      if (asksForSummary(body)) {
        requests.push(request)
        return says(mark)
      }
      // Agents also ask for titles, without tools.
      if (request.toolNames.length === 0) return says('A title')
      requests.push(request)
      const isCompacted = body.includes(mark)
      if (!isCompacted && stopsAfterReading && request.results.length > 0) return says('I have read it.')
      if (!isCompacted) return { ...calls(tools.read(join(folder, 'input.txt'))), usage }
      const hasWritten = body.includes('written-by-agent')
      return hasWritten ? says(lastWords) : calls(tools.write(join(folder, 'written-by-agent'), 'CANARY'))
    },
  })
  const { observer, facts } = collectFacts()
  const gateway = createGateway({
    upstreams: [upstreamTo(wire, transportTo(model.fetch))],
    store: createMemoryStore(),
    observer,
  })
  const server = createNodeServer(gateway)
  const url = await listen(server)
  const children: ChildProcess[] = []
  onTestFinished(async () => {
    for (const child of children) child.kill()
    await gateway.close()
    await close(server)
    await rm(folder, { recursive: true, force: true })
  })
  const nowhere = 'http://127.0.0.1:9'
  return {
    url,
    folder,
    requests,
    targets: () => facts.map(({ target }) => target),
    start(args, env) {
      const child = spawn(agent.command, args, {
        cwd: folder,
        timeout: 3 * minutes,
        env: {
          PATH: [bin, process.env.PATH].join(delimiter),
          HOME: join(folder, 'home'),
          HTTP_PROXY: nowhere,
          HTTPS_PROXY: nowhere,
          NO_PROXY: '127.0.0.1,localhost',
          ...tested.env,
          ...env,
        },
      })
      children.push(child)
      return child
    },
  }
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  child.stdin?.end()
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return output
}

const written = ({ folder }: Stage): Promise<string> =>
  readFile(join(folder, 'written-by-agent'), 'utf8').catch(String)
const isCompacted = (request: SeenRequest): boolean => JSON.stringify(request.body).includes(mark)
const isOurs = (body: string): boolean => body.includes('<conversation>')
/** As its own provider, which is the one that it asks for summaries and over a WebSocket. */
const codexArgs = (url: string): string[] => ['-c', `openai_base_url="${url}/v1"`]
const codexEnv = { CODEX_API_KEY: 'sk-a-key-for-tests', OPENAI_API_KEY: 'sk-a-key-for-tests' }
const wires = ['chat', 'messages', 'responses'] as const

test.skipIf(!isWanted('codex')).each(wires)(
  'Codex compacts by itself over its WebSocket when its window is small, with a model on %s.',
  { timeout: 8 * minutes },
  async wire => {
    const stage = await open('codex', wire, isOurs)
    const flags = ['--skip-git-repo-check', '--sandbox', 'danger-full-access']
    const limits = ['-c', 'model="gpt-5.6-sol"', '-c', 'model_auto_compact_token_limit=3000']
    const words = 'Read input.txt and write its word.'
    const child = stage.start(['exec', ...flags, ...codexArgs(stage.url), ...limits, words], codexEnv)
    const output = await outputOf(child)
    expect(output).toContain(lastWords)
    expect(await written(stage)).toContain('CANARY')
    expect(stage.requests.some(({ toolNames }) => toolNames.length === 0)).toBe(true)
    expect(stage.requests.at(-1)).toSatisfy(isCompacted)
    expect(stage.targets()).toContain('GET /v1/responses')
  },
)

test.skipIf(!isWanted('codex')).each(wires)(
  'Codex compacts when its user asks for it, with a model on %s.',
  { timeout: 8 * minutes },
  async wire => {
    const stage = await open('codex', wire, isOurs, true)
    const codex = talkTo(stage.start(['app-server', ...codexArgs(stage.url)], codexEnv))
    const clientInfo = { name: 'test', title: null, version: '1' }
    await codex.call('initialize', { clientInfo, capabilities: null })
    await codex.call('account/login/start', { type: 'apiKey', apiKey: codexEnv.CODEX_API_KEY })
    const { thread } = (await codex.call('thread/start', {
      model: 'gpt-5.6-sol',
      cwd: stage.folder,
      approvalPolicy: 'never',
      sandbox: 'danger-full-access',
    })) as { thread: { id: string } }
    const threadId = thread.id
    const turn = async (text: string): Promise<void> => {
      const done = codex.heard('turn/completed')
      await codex.call('turn/start', { threadId, input: [{ type: 'text', text, text_elements: [] }] })
      await done
    }
    await turn('Read input.txt.')
    // What `/compact` does.
    const compacted = codex.heard('turn/completed')
    await codex.call('thread/compact/start', { threadId })
    await compacted
    await turn('Write its word.')
    expect(await written(stage)).toContain('CANARY')
    expect(stage.requests.at(-1)).toSatisfy(isCompacted)
  },
)

test.skipIf(!isWanted('claude')).each(wires)(
  'Claude Code compacts when its context is full, with a model on %s.',
  { timeout: 8 * minutes },
  async wire => {
    const stage = await open('claude', wire, body => body.includes('REMINDER: Do NOT call any tools.'))
    const flags = ['--allowedTools', 'Read,Write', '--verbose', '--output-format', 'stream-json']
    const child = stage.start(['-p', 'Read input.txt and write its word.', ...flags], {
      ANTHROPIC_BASE_URL: stage.url,
      ANTHROPIC_AUTH_TOKEN: 'a-token-for-tests',
      ANTHROPIC_MODEL: 'scripted',
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'scripted',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '100000',
    })
    const output = await outputOf(child)
    expect(output).toContain('"compact_result":"success"')
    expect(output).toContain(lastWords)
    expect(await written(stage)).toContain('CANARY')
    expect(stage.requests.at(-1)).toSatisfy(isCompacted)
  },
)

interface Talk {
  call(method: string, params: object): Promise<unknown>
  /** Resolves with the next notice of this kind. */
  heard(method: string): Promise<void>
}

/** JSON-RPC, one message in each line. */
function talkTo(child: ChildProcess): Talk {
  const answers = new Map<number, (message: { result?: unknown; error?: unknown }) => void>()
  const listeners = new Map<string, () => void>()
  let count = 0
  child.stderr?.resume()
  if (child.stdout === null) throw new Error('No output.')
  createInterface(child.stdout).on('line', line => {
    const message = JSON.parse(line)
    answers.get(message.id)?.(message)
    const tell = listeners.get(message.method)
    listeners.delete(message.method)
    tell?.()
  })
  return {
    call(method, params) {
      const id = ++count
      child.stdin?.write(`${JSON.stringify({ id, method, params })}\n`)
      return new Promise((resolve, reject) => {
        answers.set(id, ({ result, error }) => (error === undefined ? resolve(result) : reject(error)))
      })
    },
    heard: method => new Promise(resolve => listeners.set(method, resolve)),
  }
}
