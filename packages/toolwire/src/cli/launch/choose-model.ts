/** Where the agent's requests go: which upstreams, and which model of them. */
import type { Settings } from '../../config/config.ts'
import { originOf } from '../../config/layers.ts'
import { loadValidSettings } from '../../config/read-settings.ts'
import { WireSet } from '../../config/wires.ts'
import { GatewayError } from '../../gateway/errors.ts'
import type { Upstream } from '../../gateway/settings.ts'
import { createModelRouter } from '../../gateway/upstream/route-model.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { type Environment, machineOf } from '../serve/environment.ts'
import { layersOver } from '../serve/flag-layers.ts'
import { demoName } from '../serve/start-gateway.ts'
import { queryModels } from '../upstreams/ask-models.ts'
import type { Agent } from './agents.ts'
import { canAnswer, type FoundServer, findServers, localPlaces } from './find-servers.ts'

export interface Choice {
  /** With the upstreams that were found, and the model if every request is to go to it. */
  readonly settings: Settings
  /** The name that the agent is given; none where it uses its own. */
  readonly model: string | undefined
  /** Which server answers, for people. */
  readonly place: string
  readonly warnings: readonly string[]
}

export async function chooseModel(
  agent: Agent,
  args: Arguments,
  io: Io,
  world: Environment,
  wires: WireSet,
): Promise<Choice> {
  const file = args.value('config')
  const demo = args.flag('demo')
  // Only the agent is to reach it, wherever the gateway of the configuration listens.
  const own = { origin: 'toolwire', config: { host: '127.0.0.1', port: 0 } }
  const over = [...layersOver(args, io, wires), own]
  const { settings, layers, warnings } = await loadValidSettings(
    { ...(file !== undefined && { file }), over, demo, wires },
    io,
    machineOf(io, world),
  )
  const known = new WireSet(settings.wires)
  const choice = (upstreams: readonly Upstream[], forced: string | undefined, given = forced): Choice => ({
    settings: { ...settings, upstreams, ...(forced !== undefined && { model: forced }) },
    model: given,
    place: placeOf(upstreams, given),
    warnings,
  })
  if (demo)
    return { ...choice([], settings.model), model: settings.model ?? demoName, place: 'the demo model' }
  const { model: asked } = settings
  const origin = originOf(layers, ['upstreams'])?.origin
  const isNamed = origin !== undefined && origin !== 'environment'
  if (isNamed) {
    const { upstreams } = settings
    if (asked !== undefined) return choice(upstreams, servedModel(upstreams, asked))
    return choice(upstreams, undefined, await configuredModel(agent, upstreams, known, world))
  }
  const servers = await findServers(known, world)
  const ready = servers.filter(({ models }) => models.length > 0)
  const upstreams = [...ready.map(({ upstream }) => upstream), ...settings.upstreams]
  if (upstreams.length === 0) throw nothingFound(agent, servers)
  if (asked !== undefined) return choice(upstreams, servedModel(upstreams, asked))
  const first = ready[0]?.models[0]
  if (first !== undefined) return choice(upstreams, first)
  // The agent's own models are at the host whose key is in the environment.
  const hasOwn = agent.needsModel !== true && upstreams.some(({ wire }) => wire === agent.wire)
  if (hasOwn) return choice(upstreams, undefined)
  throw await whichModel(agent, upstreams, known, world)
}

/** The model as it was asked for, if any upstream serves it. */
function servedModel(upstreams: readonly Upstream[], model: string): string {
  if (upstreamOf(upstreams, model) !== undefined) return model
  const lists = upstreams.map(
    ({ name, models = [] }) => `${name} has ${models.slice(0, shownModels).map(printable).join(', ')}.`,
  )
  throw new UsageError(`No upstream serves the model "${printable(model)}".`, lists.join(' '))
}

function upstreamOf(upstreams: readonly Upstream[], model: string): Upstream | undefined {
  try {
    return createModelRouter(upstreams)(model).upstream
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}

/** A name that the configured upstreams serve. Which model answers to it, and to other names, they say themselves. */
async function configuredModel(
  agent: Agent,
  upstreams: readonly Upstream[],
  wires: WireSet,
  world: Environment,
): Promise<string | undefined> {
  const isName = (name: string): boolean => !name.endsWith('*')
  const listed = upstreams
    .flatMap(({ models = [], rename = {} }) => [...models, ...Object.keys(rename), ...Object.values(rename)])
    .find(name => isName(name) && upstreamOf(upstreams, name) !== undefined)
  if (listed !== undefined) return listed
  for (const upstream of upstreams) {
    const { models = [] } = await queryModels(upstream, wires, world.fetch, timeoutMs)
    const found = models.find(canAnswer)
    if (found !== undefined) return found
  }
  if (agent.needsModel === true) throw await whichModel(agent, upstreams, wires, world)
  return undefined
}

const timeoutMs = 3_000
const shownModels = 20

async function whichModel(
  { name, title }: Agent,
  upstreams: readonly Upstream[],
  wires: WireSet,
  world: Environment,
): Promise<UsageError> {
  const lists = await Promise.all(
    upstreams.map(async upstream => {
      const { models = [] } = await queryModels(upstream, wires, world.fetch, timeoutMs)
      const shown = models.filter(canAnswer).slice(0, shownModels)
      return shown.length === 0 ? [] : [`${upstream.name} has ${shown.map(printable).join(', ')}.`]
    }),
  )
  const hint = [`Write "toolwire ${name} --model NAME".`, ...lists.flat()].join(' ')
  return new UsageError(`Which model is ${title} to use?`, hint)
}

function nothingFound({ name }: Agent, servers: readonly FoundServer[]): UsageError {
  const [empty] = servers
  if (empty !== undefined) {
    const { title, baseUrl } = empty.host
    return new UsageError(
      `${title} answers at ${baseUrl}, but has no model yet.`,
      'Load one into it, such as "ollama pull qwen3:8b", and try again.',
    )
  }
  return new UsageError(
    `There is no model for ${name}: no configuration, no server at ${localPlaces()}, no key in the environment.`,
    `Start a model server, set OPENAI_API_KEY or ANTHROPIC_API_KEY, run "toolwire init", or name one: toolwire ${name} --upstream chat=http://HOST/v1 --model NAME. "toolwire ${name} --demo" shows how it works without a model.`,
  )
}

function placeOf(upstreams: readonly Upstream[], model: string | undefined): string {
  const upstream = model === undefined ? upstreams[0] : upstreamOf(upstreams, model)
  return upstream === undefined ? 'nothing' : `${upstream.name} (${upstream.baseUrl})`
}
