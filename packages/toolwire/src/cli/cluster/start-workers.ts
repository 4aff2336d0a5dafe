/**
 * A gateway in several processes behind one port. This process opens the port, deals the connections to the worker processes,
 * looks after these, and answers no request itself; each worker process is a gateway like any other, and they share the store (decision 38).
 */
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import type { Settings, ToolwireConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { localUrl } from '../../config/machine.ts'
import type { Readiness } from '../../gateway/routes/system.ts'
import { limitsOf } from '../../gateway/tenants/key-limits.ts'
import type { TraceReader } from '../../telemetry/observer.ts'
import { printable } from '../../terminal/printable.ts'
import { watchHealth } from '../serve/health.ts'
import { hasInspector } from '../serve/inspector.ts'
import { listen } from '../serve/listen.ts'
import { type RunningGateway, type StartOptions, upstreamsOf } from '../serve/start-gateway.ts'
import { disabledIn } from '../upstreams/follow-upstreams.ts'
import { Crew, type WorkerTask } from './crew.ts'
import { CrewMetrics } from './crew-metrics.ts'
import { Dealer } from './dealer.ts'
import { newestFirst } from './peers.ts'
import type { Task } from './run-worker.ts'

/** For a worker process, whose environment has this. */
export const workerVariable = 'TOOLWIRE_WORKER'

/** In MB: room for what lives as long as the requests under way, which Node otherwise moves again and again. */
const youngSpace = '--max-semi-space-size=32'

/** Whoever says how much it is to be is followed: of two flags the later one holds, and those given here hold over NODE_OPTIONS. */
export function workerFlags(given: readonly string[], nodeOptions = ''): string[] {
  // Node takes both spellings.
  return /semi[-_]space/.test(nodeOptions) ? [...given] : [youngSpace, ...given]
}

interface WorkersOptions extends StartOptions {
  readonly count: number
  /** The configuration file, where there is one. */
  readonly file: string | undefined
}

export async function startWorkers(settings: Settings, options: WorkersOptions): Promise<RunningGateway> {
  const { io, world, count, file, isUsualPort } = options
  if (file === '-') throw stdinRefused()
  const dealer = new Dealer()
  const port = await listen(dealer.server, settings.host, settings.port, isUsualPort)
  const sealKey = randomBytes(32).toString('base64url')
  let current = settings
  let task = taskOf(settings, { port, sealKey })
  const tell = (line: string): void => void io.stderr.write(`${printable(line)}\n`)
  const metrics = new CrewMetrics(() => crew)
  cluster.setupPrimary({
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    execArgv: workerFlags(process.execArgv, io.env.NODE_OPTIONS),
  })
  const crew: Crew = new Crew({
    count,
    fork: () => cluster.fork({ [workerVariable]: '1' }),
    task: () => task,
    async renew(calls) {
      const wrong = await calls.ask('reload', [task.config, task.disabled])
      if (typeof wrong === 'string') tell(wrong)
    },
    world,
    tell,
    answers: { metrics: () => metrics.text() },
    onReady: worker => dealer.add(worker),
    onSilence: worker => dealer.pass(worker),
    onEnd(member) {
      if (member.worker !== undefined) dealer.remove(member.worker)
      metrics.keep(member)
    },
  })
  const stop = async (shutdownMs: number): Promise<void> => {
    dealer.close()
    await crew.stop(shutdownMs)
  }
  const giveUp = async (error: unknown): Promise<never> => {
    await stop(0)
    throw error
  }
  const report = await crew.start().catch(giveUp)
  const readiness = { readiness: () => readinessOf(crew) }
  const health = await watchHealth(settings, readiness, world, 'answers').catch(giveUp)
  const url = localUrl(settings.host, port)
  return {
    ...report,
    url,
    ...(hasInspector(settings) && { inspectorUrl: `${url}/` }),
    async inspectorLink() {
      if (!hasInspector({ ...current, host: settings.host, trace: settings.trace })) return undefined
      const code = await crew.askAny('sign-in-code')
      return `${url}/${typeof code === 'string' ? `#code=${code}` : ''}`
    },
    ...(health !== undefined && { healthUrl: localUrl(settings.host, health.port) }),
    upstreams: await upstreamsOf(settings),
    ...(settings.trace !== false && { traces: tracesOf(crew) }),
    warnings: [...report.warnings, ...notShared(settings)],
    async update(changed) {
      const before = { current, task }
      // Whoever begins meanwhile begins with it.
      current = changed
      task = taskOf(changed, task)
      const answers = await crew.askAll('reload', [task.config, task.disabled])
      const wrong = answers.map(([, reason]) => reason).find(reason => typeof reason === 'string')
      if (wrong === undefined) return
      ;({ current, task } = before)
      throw new Error(wrong)
    },
    async active() {
      const counts = await crew.askAll('active')
      return counts.reduce((sum, [, each]) => sum + Number(each), 0)
    },
    async stop(shutdownMs) {
      await stop(shutdownMs)
      await health?.close()
    },
  }
}

type Given = Omit<Task, keyof WorkerTask>

function taskOf(settings: Settings, { port, sealKey }: Pick<Given, 'port' | 'sealKey'>): Given {
  // What a message can carry. Code is imported by each process from the file.
  const { tools, hosted, wires, ...config }: ToolwireConfig = settings.config
  const hasCode = (tools ?? hosted ?? wires) !== undefined
  return { port, sealKey, config, hasCode, disabled: disabledIn(settings) }
}

function stdinRefused(): ConfigError {
  const message = 'Several worker processes cannot read the configuration from stdin, which can be read once.'
  return new ConfigError([{ message, remedy: 'Name a file with --config, or leave out --workers.' }])
}

/** What worker processes share only through a store. */
function notShared({ store, tenants }: Settings): string[] {
  if (store.kind !== 'none') return []
  const remembered =
    'Without a store, each worker process remembers for itself: calls that the gateway ran beside those of the client, reasoning for clients that return none, and whose the ids of upstreams are. --store sqlite shares them.'
  const counted =
    'Without a store, each worker process counts for itself what keys use, so that a key may use its limits once in each of them. --store sqlite shares the counters.'
  const isLimited = tenants.some(tenant => limitsOf(tenant).length > 0)
  return isLimited ? [remembered, counted] : [remembered]
}

function tracesOf(crew: Crew): TraceReader {
  return {
    list: async limit =>
      newestFirst((await crew.askAll('trace-list', [limit])).map(([, list]) => list)).slice(0, limit),
    get: async id =>
      (await crew.askAll('trace', [id])).map(([, trace]) => trace).find(trace => trace !== undefined),
  }
}

/** As good as the best of those that answer; rejects when none does. */
async function readinessOf(crew: Crew): Promise<Readiness> {
  const all = (await crew.askAll('readiness')).map(([, value]) => value as Readiness)
  const [first] = all
  if (first === undefined) throw new Error('No worker process answers.')
  return all.find(({ status }) => status === 'ready') ?? first
}
