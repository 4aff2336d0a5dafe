/** `toolwire codex` and its like: an agent with a gateway of its own, for as long as the agent runs. */
import type { WireDefinition } from '@toolwire/core'
import { builtInWires } from '@toolwire/core'
import { WireSet } from '../../config/wires.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { findModels, reachWarnings } from '../serve/models-found.ts'
import { type RunningGateway, startGateway } from '../serve/start-gateway.ts'
import { version } from '../version.ts'
import type { Agent } from './agents.ts'
import { type Choice, chooseModel } from './choose-model.ts'
import { fillAgent, type Given } from './fill-agent.ts'
import { givenText } from './given-text.ts'
import { createSummary } from './summary.ts'
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
  if (program === undefined && !isDry) throw notInstalled(agent)
  return orConfigFailure(io, async () => {
    const choice = await chooseModel(agent, args, io, world, wires)
    const tell = teller(io)
    for (const warning of choice.warnings) tell(`warning: ${warning}`)
    tell(`${agent.title} on ${choice.model ?? 'its own models'} at ${choice.place}`)
    if (isDry) return showPlan(agent, choice, args, io, program)
    // Agents repeat failed requests for minutes before they say why.
    const { upstreams, wires: own } = choice.settings
    const found = await findModels(upstreams, new WireSet(own), world)
    for (const warning of reachWarnings(found)) tell(`warning: ${warning}`)
    return runAgent(agent, { choice, program: program ?? agent.command, args: args.positionals }, io, world)
  })
}

interface Task {
  readonly choice: Choice
  readonly program: string
  /** The user's. */
  readonly args: readonly string[]
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
  const { choice, program } = task
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
  const place = { url: running.url, key, model: choice.model }
  const link = running.inspectorLink()
  if (link !== undefined) teller(io)(`inspector: ${link}`)
  const { file: text } = fillAgent(agent, place)
  const file = text === undefined ? undefined : await world.makeFile(agent.file?.name ?? 'config', text)
  try {
    const given = fillAgent(agent, { ...place, file: file?.path })
    return await world.runProgram(program, [...given.args, ...task.args], { ...io.env, ...given.env })
  } finally {
    await file?.remove()
    await stop(running)
    const tell = teller(io)
    for (const line of summary.lines()) tell(line)
  }
}

async function stop({ server, free }: RunningGateway): Promise<void> {
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
  await free()
}

/** What would be run, with places for what is only known then. */
function showPlan(
  agent: Agent,
  { model }: Choice,
  { positionals }: Arguments,
  io: Io,
  program: string | undefined,
): number {
  const given: Given = fillAgent(agent, {
    url: 'http://127.0.0.1:PORT',
    key: 'KEY',
    model,
    file: agent.file && `FOLDER/${agent.file.name}`,
  })
  io.stdout.write(givenText(agent, { ...given, args: [...given.args, ...positionals] }))
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
