/** `toolwire trace`: the exchanges of a running gateway. */
import { setTimeout as sleep } from 'node:timers/promises'
import { exchangeRow, headerRow } from '../../telemetry/exchange-rows.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import type { GatewayClient, Network } from './gateway-client.ts'
import { createGatewayClient, findTrace, getList, stranger } from './gateway-client.ts'
import { traceTable } from './list.ts'
import { readTrace } from './read-trace.ts'
import type { ShowOptions } from './show.ts'
import { prettyJson, showTrace, viewNames } from './show.ts'
import { writeView } from './write-view.ts'

const usualUrl = 'http://127.0.0.1:4141'
const usualLimit = 20
const pollMs = 1000
/** While following: enough that a burst between two requests is not missed. */
const followLimit = 1000

export function run(args: Arguments, io: Io): Promise<number> {
  return runTrace(args, io, { fetch: (url, init) => fetch(url, init), sleep: ms => sleep(ms) })
}

export async function runTrace(args: Arguments, io: Io, network: Network): Promise<number> {
  const [id, ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One exchange at a time, please.')
  const url = args.value('url') ?? usualUrl
  const client = createGatewayClient({ url, key: readKey(args, io) }, network)
  if (id === undefined) {
    refuse(args, ['view', 'round', 'full'], 'is about one exchange.', 'Name it: toolwire trace <id>.')
    const limit = readNumber(args, 'limit') ?? usualLimit
    if (args.flag('follow')) return await follow(client, { args, io, network, url, limit })
    const { value, list } = await getList(client, limit, printable(url))
    const colors = colorsFor(io.stdout, io.env)
    io.stdout.write(args.flag('json') ? prettyJson(value) : traceTable(list, colors, widthOf(io.stdout)))
    return exitCodes.ok
  }
  refuse(args, ['follow', 'limit'], 'is about the list.', 'Leave the id out.')
  const view = viewNames.find(name => name === args.value('view'))
  if (view === undefined) refuse(args, ['round'], 'is about one view.', 'Name it with --view.')
  const round = readNumber(args, 'round')
  const value = await findTrace(client, id, printable(url))
  const trace = readTrace(value)
  if (trace === undefined) throw stranger(printable(url))
  const json = args.flag('json')
  if (view !== undefined) writeView(trace, { name: view, round, json }, showOptions(args, io), io)
  else if (json) io.stdout.write(prettyJson(value))
  else io.stdout.write(showTrace(trace, showOptions(args, io)))
  return exitCodes.ok
}

function showOptions(args: Arguments, io: Io): ShowOptions {
  return { output: io.stdout, colors: colorsFor(io.stdout, io.env), full: args.flag('full') }
}

interface Following {
  readonly args: Arguments
  readonly io: Io
  readonly network: Network
  readonly url: string
  /** How many exchanges that have ended already are printed first. */
  readonly limit: number
}

/** Prints each exchange when it has ended, until it is interrupted. */
async function follow(client: GatewayClient, { args, io, network, url, limit }: Following): Promise<number> {
  const colors = colorsFor(io.stdout, io.env)
  let told: Set<string> | undefined
  if (!args.flag('json')) io.stdout.write(headerRow(colors, widthOf(io.stdout)))
  for (;;) {
    const { list } = await getList(client, followLimit, printable(url))
    const over = list.filter(({ state }) => state === 'ended')
    const news = told === undefined ? over.slice(0, limit) : over.filter(({ id }) => !told?.has(id))
    for (const summary of news.toReversed()) {
      io.stdout.write(
        args.flag('json') ? jsonLine(summary) : exchangeRow(summary, colors, widthOf(io.stdout)),
      )
    }
    // Only those that the gateway still lists can appear again.
    told = new Set(over.map(summary => summary.id))
    await network.sleep(pollMs)
  }
}

function readKey(args: Arguments, io: Io): string | undefined {
  const name = args.value('key-env')
  if (name === undefined) return undefined
  const key = io.env[name]
  if (key === undefined || key === '') throw new UsageError(`The variable ${printable(name)} is not set.`)
  return key
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
