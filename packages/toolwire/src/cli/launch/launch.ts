/** `toolwire codex` and its like: an agent with a gateway of its own, for as long as the agent runs. */
import type { WireDefinition } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import type { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { type LocalGateway, startGateway } from '../serve/start-gateway.ts'
import { followUpstreams } from '../upstreams/follow-upstreams.ts'
import { version } from '../version.ts'
import type { Agent } from './agents.ts'
import { type Choice, chooseModel } from './choose-model.ts'
import { fillAgent, type Given } from './fill-agent.ts'
import { givenJson, givenText } from './given-text.ts'
import { createSummary, type Summary } from './summary.ts'
import { type LaunchWorld, launchWorld } from './world.ts'

/** The command that starts this agent. */
export function launcherOf(agent: Agent): {
  run(args: Arguments, io: Io, wires: WireSet): Promise<number>
} {
  return { run: (args, io, wires) => launch(agent, args, io, launchWorld, wires) }
}

export async function launch(
  agent: Agent,
  args: Arguments,
  io: Io,
  world: LaunchWorld,
  wires: WireSet,
): Promise<number> {
  const program = world.findProgram(agent.command, io.env)
  const isDry = args.flag('dry-run')
  if (args.flag('json') && !isDry) throw new UsageError('--json goes with --dry-run.')
  if (program === undefined && !isDry) throw notInstalled(agent)
  return orConfigFailure(io, async () => {
    const window = askedWindow(args)
    const choice = await chooseModel(agent, args, io, world, wires)
    const tell = teller(io)
    for (const warning of choice.warnings) tell(`warning: ${warning}`)
    tell(`${agent.title} on ${choice.model ?? 'its own models'} at ${choice.place}`)
    if (isDry) return showPlan(agent, { ...choice, window }, args, io, program)
    const task = {
      choice,
      window,
      program: program ?? agent.command,
      args: args.positionals,
      stays: args.flag('stay'),
    }
    return runAgent(agent, task, io, world)
  })
}

/** Told to the agent as it stands. */
function askedWindow(args: Arguments): number | undefined {
  const text = args.value('window')
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw new UsageError(`--window must be a number of tokens; got "${printable(text)}".`, 'Such as 32768.')
  }
  return Number(text)
}

interface Task {
  readonly choice: Choice
  /** As the user says. */
  readonly window: number | undefined
  readonly program: string
  /** The user's. */
  readonly args: readonly string[]
  /** Whether one can look at what was said after the agent has ended. */
  readonly stays: boolean
}

/** Agents offer a web search with every request, wanted or not. Where there is none it must not end the run. */
function withoutMissedSearch(upstream: Upstream): Upstream {
  const { wire, hostedTools } = upstream
  const definition = (builtInWires as Readonly<Record<string, WireDefinition>>)[wire]
  const isMissed = definition !== undefined && !definition.tools.profile.webSearch
  return isMissed && hostedTools === undefined
    ? { ...upstream, hostedTools: { web_search: 'drop' } }
    : upstream
}

async function runAgent(agent: Agent, task: Task, io: Io, world: LaunchWorld): Promise<number> {
  const { choice, program, stays } = task
  const key = world.newKey()
  const settings = {
    ...choice.settings,
    keys: [key],
    store: { ...choice.settings.store, kind: 'memory' as const },
    ...(choice.settings.losses === 'strict' && {
      upstreams: choice.settings.upstreams.map(withoutMissedSearch),
    }),
  }
  const summary = createSummary()
  const running = await startGateway(settings, {
    // The terminal is the agent's: what the gateway logs would be written across its screen.
    io: { ...io, stderr: { write: () => {}, isTTY: false } },
    world,
    version: version(),
    observer: summary.observer,
  })
  const window = task.window ?? (await windowOf(running.url, key, choice.model))
  const place = { url: running.url, key, model: choice.model, window }
  const tell = teller(io)
  const upstreams = followUpstreams({
    running,
    settings,
    world,
    warn: text => tell(`warning: ${text}`),
    tell: () => {},
  })
  // Agents repeat failed requests for minutes before they say why.
  await upstreams.look()
  upstreams.follow()
  const tellLink = (link: string | undefined, about = ''): void => {
    if (link !== undefined) tell(`inspector: ${link}${about}`)
  }
  if (isUnknownWindow(agent, choice.model, window)) {
    tell(`the window of ${choice.model} is not known; --window tells ${agent.title} how many tokens it takes`)
  }
  tellLink(running.inspectorLink())
  const { file: text } = fillAgent(agent, place)
  const file = text === undefined ? undefined : await world.makeFile(agent.file?.name ?? 'config', text)
  try {
    const given = fillAgent(agent, { ...place, file: file?.path })
    const env = { ...io.env, ...given.env }
    const code = await world.runProgram(program, [...given.args, ...task.args], env)
    running.flush()
    for (const line of summary.lines()) tell(line)
    await keepUsage(summary, choice, world, tell)
    if (stays) tellLink(running.inspectorLink(), ' (open until Ctrl-C)')
    // Nobody signs in there any more.
    else tellLink(running.inspectorUrl, ' (closed now; --stay keeps it open)')
    if (stays) await world.untilInterrupted()
    return code
  } finally {
    upstreams.stop()
    await file?.remove()
    await stop(running)
  }
}

/** A run that could not be noted has ended as it has. */
async function keepUsage(
  summary: Summary,
  { settings }: Choice,
  world: LaunchWorld,
  tell: (line: string) => void,
): Promise<void> {
  const rows = summary.rows()
  if (rows.length === 0) return
  try {
    await world.keepUsage(rows, settings.store)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    tell(`warning: "toolwire usage" will not know of this run. ${reason}`)
  }
}

/** What the gateway says of the model: by its settings, its upstream, or what is known of its name. */
async function windowOf(url: string, key: string, model: string | undefined): Promise<number | undefined> {
  if (model === undefined) return undefined
  const headers = { authorization: `Bearer ${key}` }
  const answer = await fetch(`${url}/v1/models/${encodeURIComponent(model)}`, { headers })
  const { context_window: window } = (await answer.json()) as { context_window?: unknown }
  return typeof window === 'number' ? window : undefined
}

/** The agent then expects one of the largest windows, and a server that has less cuts off what it is sent. */
function isUnknownWindow(
  { withWindow }: Agent,
  model: string | undefined,
  window: number | undefined,
): boolean {
  return withWindow !== undefined && model !== undefined && window === undefined
}

async function stop({ server, free }: LocalGateway): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
  await free()
}

/** What would be run, with places for what is only known then. */
function showPlan(
  agent: Agent,
  { model, window }: Pick<Choice, 'model'> & Pick<Task, 'window'>,
  args: Arguments,
  io: Io,
  program: string | undefined,
): number {
  const given: Given = fillAgent(agent, {
    url: 'http://127.0.0.1:PORT',
    key: 'KEY',
    model,
    window,
    file: agent.file && `FOLDER/${agent.file.name}`,
  })
  const all = { ...given, args: [...given.args, ...args.positionals] }
  io.stdout.write(args.flag('json') ? givenJson(agent, all) : givenText(agent, all))
  if (isUnknownWindow(agent, model, window))
    teller(io)('it is also told the window of the model, where the gateway knows it')
  if (program === undefined) io.stderr.write(`${notInstalled(agent).message} ${installHint(agent)}\n`)
  return exitCodes.ok
}

function notInstalled(agent: Agent): UsageError {
  const { title, command } = agent
  return new UsageError(
    `${title} is not installed: there is no "${command}" on the PATH.`,
    installHint(agent),
  )
}

function installHint({ package: name }: Agent): string {
  return `Install it with: npm install -g ${name}`
}

function teller({ stderr, env }: Io): (line: string) => void {
  const colors = colorsFor(stderr, env)
  return line => void stderr.write(`${colors.dim('toolwire:')} ${printable(line)}\n`)
}
