/** `toolwire trace`: the exchanges of a running gateway. */
import { setTimeout as sleep } from 'node:timers/promises'
import { builtInWireSet, type WireSet } from '../../config/wires.ts'
import { findBefore, readWholeConversation } from '../../reading/earlier.ts'
import { readConversation, textOf } from '../../reading/said.ts'
import { exchangeRow, headerRow } from '../../telemetry/exchange-rows.ts'
import type { Trace, TraceSummary } from '../../telemetry/traces/trace-document.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { InputError, UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { filterOptions } from '../command-spec.ts'
import { exitCodes } from '../exit-codes.ts'
import { orConfigFailure } from '../print-error.ts'
import { findGateway } from '../reach/find-gateway.ts'
import type { GatewayClient, Network } from '../reach/gateway-client.ts'
import { createGatewayClient, stranger } from '../reach/gateway-client.ts'
import { listRunningGateways, type RunningGateway } from '../reach/running-gateways.ts'
import { machineOf, processEnvironment } from '../serve/environment.ts'
import { type Filter, readFilter } from './filters.ts'
import { findTrace, getList } from './find-trace.ts'
import { traceTable } from './list.ts'
import { lastExchange, mostTraces, readTrace } from './read-trace.ts'
import { curlLine, harOf } from './replay.ts'
import type { ShowOptions } from './show.ts'
import { prettyJson, showTrace, viewNames } from './show.ts'
import { writeView } from './write-view.ts'

const usualLimit = 20
const pollMs = 1000
/** While following: enough that a burst between two requests is not missed. */
const followLimit = 1000

/** What the command uses of the process beside its streams and files. */
export interface World extends Network {
  running(): readonly RunningGateway[]
}

export function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const running = (): RunningGateway[] => listRunningGateways(machineOf(io, processEnvironment))
  const world = { fetch: (url: string, init: RequestInit) => fetch(url, init), sleep, running }
  return orConfigFailure(io, () => runTrace(args, io, world, wires))
}

export async function runTrace(
  args: Arguments,
  io: Io,
  world: World,
  wires: WireSet = builtInWireSet,
): Promise<number> {
  const [given, ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One exchange at a time, please.')
  checkFlags(args, given)
  const gateway = await findGateway(args, io, wires, world.running)
  const client = createGatewayClient(gateway, world)
  const url = printable(gateway.url)
  const reading: Reading = { args, io, network: world, url, client, wires: gateway.wires }
  if (given === undefined) return await list(reading)
  const id = given === 'last' ? await newestId(reading) : given
  const value = await findTrace(client, id, url)
  const trace = readTrace(value)
  if (trace === undefined) throw stranger(url)
  await writeTrace(trace, value, reading)
  return exitCodes.ok
}

interface Reading {
  readonly args: Arguments
  readonly io: Io
  readonly network: Network
  /** For people. */
  readonly url: string
  readonly client: GatewayClient
  readonly wires: WireSet
}

function checkFlags(args: Arguments, id: string | undefined): void {
  if (id === undefined) {
    const about = ['view', 'round', 'full', 'raw', 'headers', 'curl']
    refuse(args, about, 'is about one exchange.', 'Name it: toolwire trace <id>, or toolwire trace last.')
  } else {
    refuse(
      args,
      ['follow', 'limit', ...Object.keys(filterOptions)],
      'is about the list.',
      'Leave the id out.',
    )
    if (args.value('view') === undefined) {
      refuse(args, ['round'], 'is about one view.', 'Name it with --view.')
    }
  }
  const forms = ['json', 'curl', 'har'].filter(name => args.flag(name))
  if (forms.length > 1) throw new UsageError(`--${forms.join(' and --')} contradict each other; choose one.`)
  if (args.flag('har')) refuse(args, ['view', 'follow'], 'does not go with --har.', 'Leave one out.')
}

async function writeTrace(trace: Trace, value: unknown, reading: Reading): Promise<void> {
  const { args, io, url, wires, client } = reading
  const view = viewNames.find(name => name === args.value('view'))
  const json = args.flag('json')
  const options: ShowOptions = {
    output: io.stdout,
    colors: colorsFor(io.stdout, io.env),
    full: args.flag('full'),
    headers: args.flag('headers'),
    raw: args.flag('raw'),
  }
  if (args.flag('curl')) io.stdout.write(curlLine(trace, view ?? 'client-request', url))
  else if (args.flag('har')) io.stdout.write(prettyJson(harOf([trace], url)))
  else if (view !== undefined) {
    writeView(trace, { name: view, round: readNumber(args, 'round'), json }, options, io)
  } else if (json) io.stdout.write(prettyJson(value))
  else {
    const before = async (id: string): Promise<Trace | undefined> =>
      readTrace(await client.find(`/toolwire/traces/${encodeURIComponent(id)}`))
    io.stdout.write(
      showTrace(trace, readWholeConversation(trace, wires, await findBefore(trace, before)), options),
    )
  }
}

async function newestId({ client, url }: Reading): Promise<string> {
  const { list: found } = await getList(client, mostTraces, url)
  const newest = lastExchange(found)
  if (newest === undefined) throw new InputError(url, 'no exchanges yet.')
  return newest.id
}

async function list(reading: Reading): Promise<number> {
  const { args, io, client, url } = reading
  const limit = readNumber(args, 'limit') ?? usualLimit
  const filter = readFilter(args)
  if (args.flag('follow')) return await follow(reading, filter, limit)
  const { value, list: all } = await getList(client, filter.isSet ? mostTraces : limit, url)
  const found = filter.isSet ? await select(all, filter, limit, reading) : all
  const colors = colorsFor(io.stdout, io.env)
  if (args.flag('har')) {
    const traces = await Promise.all(found.map(async ({ id }) => readTrace(await findTrace(client, id, url))))
    io.stdout.write(
      prettyJson(
        harOf(
          traces.filter(trace => trace !== undefined),
          url,
        ),
      ),
    )
  } else if (args.flag('json')) {
    io.stdout.write(prettyJson(filter.isSet ? { object: 'list', data: found } : value))
  } else if (all.length > 0 && found.length === 0) io.stdout.write('No exchange fits.\n')
  else io.stdout.write(traceTable(found, colors, widthOf(io.stdout)))
  return exitCodes.ok
}

/** The newest that fit. What was said is read one by one, and only of those that fit in every other way. */
async function select(
  all: readonly TraceSummary[],
  filter: Filter,
  limit: number,
  { client, url, wires }: Reading,
): Promise<TraceSummary[]> {
  const found: TraceSummary[] = []
  for (const summary of all.filter(one => filter.fits(one))) {
    if (found.length === limit) break
    if (filter.text !== undefined) {
      const trace = readTrace(await findTrace(client, summary.id, url))
      const said = trace === undefined ? '' : textOf(readConversation(trace, wires))
      if (!said.toLowerCase().includes(filter.text)) continue
    }
    found.push(summary)
  }
  return found
}

/** Prints each exchange when it has ended, until it is interrupted. */
async function follow(reading: Reading, filter: Filter, limit: number): Promise<number> {
  const { args, io, network, client, url } = reading
  const colors = colorsFor(io.stdout, io.env)
  let told: Set<string> | undefined
  if (!args.flag('json')) io.stdout.write(headerRow(colors, widthOf(io.stdout)))
  for (;;) {
    const { list: all } = await getList(client, followLimit, url)
    const over = all.filter(({ state }) => state === 'ended')
    const news = told === undefined ? over : over.filter(({ id }) => !told?.has(id))
    const wanted = await select(news, filter, told === undefined ? limit : followLimit, reading)
    for (const summary of wanted.toReversed()) {
      io.stdout.write(
        args.flag('json') ? jsonLine(summary) : exchangeRow(summary, colors, widthOf(io.stdout)),
      )
    }
    // Only those that the gateway still lists can appear again.
    told = new Set(over.map(summary => summary.id))
    await network.sleep(pollMs)
  }
}

function readNumber(args: Arguments, name: string): number | undefined {
  const text = args.value(name)
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new UsageError(`--${name} must be a whole number above 0; got "${printable(text)}".`)
  }
  return Number(text)
}

function refuse(args: Arguments, names: readonly string[], why: string, hint: string): void {
  for (const name of names) {
    if (args.flag(name)) throw new UsageError(`--${name} ${why}`, hint)
  }
}

function jsonLine(value: unknown): string {
  return `${printable(JSON.stringify(value))}\n`
}
