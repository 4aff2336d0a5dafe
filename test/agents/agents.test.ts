/**
 * Real agents, started by the built command, against a scripted model on another wire: each reads a file and writes a
 * file with its own tools. Those that are not ordinary run with `npm run check:agents`.
 */
import { spawn } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agents } from '../../packages/toolwire/src/cli/launch/agents.ts'
import {
  type BuiltCommand,
  buildCommand,
} from '../../packages/toolwire/src/cli/serve/built-command.test-helper.ts'
import { type TestedAgent, testedAgents } from './agents.ts'
import { type Installed, installAgent } from './install.ts'
import { lastWords, startScriptedServer } from './scripted-server.ts'

const { TOOLWIRE_AGENTS: wanted = '' } = process.env
const chosen = testedAgents.filter(({ name, isOrdinary }) =>
  wanted === '' ? isOrdinary : wanted === 'all' || wanted.split(',').includes(name),
)
const minutes = 60_000

let command: BuiltCommand
beforeAll(async () => {
  command = await buildCommand()
})
afterAll(() => command.remove())

describe.each(chosen)('$name', tested => {
  const { name, setup, tools } = tested
  const agent = agents.find(each => each.name === name)
  const others = (['chat', 'responses', 'messages'] as const).filter(wire => wire !== agent?.wire)
  let installed: Installed | undefined
  let trouble = ''

  beforeAll(async () => {
    installed = await installAgent(agent?.package ?? '', agent?.tried ?? '', setup).catch((error: Error) => {
      trouble = error.message
      return undefined
    })
  }, 6 * minutes)

  test.for(others)(
    'An agent reads a file and writes a file with a model on the wire %s.',
    { timeout: 4 * minutes },
    async (wire, { skip }) => {
      if (installed === undefined) return skip(`${name} could not be installed: ${trouble}`)
      const folder = await mkdtemp(join(tmpdir(), `toolwire-${name}-`))
      const files = { input: join(folder, 'input.txt'), output: join(folder, 'output.txt'), secret: 'CANARY' }
      await writeFile(files.input, `The word is ${files.secret}.\n`)
      const server = await startScriptedServer(wire, tools, files)
      try {
        // What the agents send must arrive, but for what is not missed.
        const strict = tested.isOrdinary ? ['--strict'] : []
        const argv = [name, '--upstream', `${wire}=${server.baseUrl}`, '--model', 'scripted', ...strict, '--']
        const task = tested.task('Read input.txt and write its word to output.txt.')
        const { code, output } = await run([...argv, ...task], folder, installed, tested)
        expect(output).toContain(lastWords)
        expect(await readFile(files.output, 'utf8').catch(String)).toContain(files.secret)
        expect(server.requests.map(({ model }) => model)).toEqual(['scripted', 'scripted', 'scripted'])
        expect(output).toMatch(/toolwire: \d+ requests · /)
        expect(output).not.toContain(' failed')
        expect(code).toBe(0)
      } finally {
        await server.close()
        await rm(folder, { recursive: true, force: true })
      }
    },
  )
})

interface Ended {
  readonly code: number | null
  readonly output: string
}

/** In a home of its own; whatever is not on this machine is behind a proxy that is not there. */
async function run(
  argv: readonly string[],
  folder: string,
  { bin }: Installed,
  { env }: TestedAgent,
): Promise<Ended> {
  const home = join(folder, 'home')
  await mkdir(home)
  const nowhere = 'http://127.0.0.1:9'
  const [program, ...args] = command.words(argv)
  const child = spawn(program ?? '', args, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 3 * minutes,
    env: {
      PATH: [bin, process.env.PATH].join(delimiter),
      HOME: home,
      USERPROFILE: home,
      HTTP_PROXY: nowhere,
      HTTPS_PROXY: nowhere,
      NO_PROXY: '127.0.0.1,localhost',
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  return { code, output }
}
