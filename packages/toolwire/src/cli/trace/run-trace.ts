/** `toolwire trace` with its network handed in. */
import type { ViewName } from '../../gateway/observation.ts'
import { exchangeRow, headerRow } from '../../telemetry/exchange-cells.ts'
import { formatBytes } from '../../telemetry/quantities.ts'
import type { Trace, TraceSummary } from '../../telemetry/trace-document.ts'
import type { Arguments } from '../arguments.ts'
import { colorsFor } from '../colors.ts'
import { UsageError } from '../errors.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Io } from '../io.ts'
import { printable } from '../printable.ts'
import type { GatewayClient, Network } from './gateway-client.ts'
import { createGatewayClient, stranger } from './gateway-client.ts'
import { traceTable } from './list.ts'
import { readTrace, readTraceList } from './read-trace.ts'
import { showTrace, showView } from './show.ts'
import { viewNames } from './view-names.ts'

const usualUrl = 'http://127.0.0.1:4141'
const usualLimit = 20
const pollMs = 1000
/** While following, enough that a burst between two looks is not missed. */
const followLimit = 1000

export async function runTrace(args: Arguments, io: Io, network: Network): Promise<number> {
  const [id, ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One exchange at a time, please.')
  const url = args.value('url') ?? usualUrl
  const client = createGatewayClient({ url, key: readKey(args, io) }, network)
  if (id === undefined) {
    refuse(args, ['view', 'full'], 'is about one exchange.', 'Name it: toolwire trace <id>.')
    const limit = readLimit(args.value('limit'))
    if (args.flag('follow')) return await follow(client, { args, io, network, url, limit })
    const { value, list } = await getList(client, limit, url)
    io.stdout.write(args.flag('json') ? pretty(value) : traceTable(list, colorsFor(io.stdout, io.env)))
    return exitCodes.ok
  }
  refuse(args, ['follow', 'limit'], 'is about the list.', 'Leave the id out.')
  const value = await client.get(`/toolwire/traces/${encodeURIComponent(id)}`)
  const trace = readTrace(value)
  if (trace === undefined) throw stranger(printable(url))
  const view = args.value('view')
  if (view !== undefined)
    writeView(trace, viewNames.find(name => name === view) ?? 'client-request', args, io)
  else if (args.flag('json')) io.stdout.write(pretty(value))
  else io.stdout.write(showTrace(trace, showOptions(args, io)))
  return exitCodes.ok
}

function showOptions(args: Arguments, io: Io): Parameters<typeof showTrace>[1] {
  return { output: io.stdout, colors: colorsFor(io.stdout, io.env), full: args.flag('full') }
}

/** For people it is laid out; for a pipe, it is what was on the wire and nothing else. */
function writeView(trace: Trace, name: ViewName, args: Arguments, io: Io): void {
  const view = trace.views[name]
  if (view === undefined) {
    throw new UsageError(
      `This exchange has no ${name}.`,
      'It may have failed before, or has not come so far yet.',
    )
  }
  if (args.flag('json')) io.stdout.write(pretty(view))
  else if (io.stdout.isTTY) io.stdout.write(showView(trace, name, showOptions(args, io)).trimStart())
  else for (const { text } of view.parts) io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  const { omitted, parts } = view
  const cut = parts.filter(part => part.cut)
  if (cut.length === 0 && omitted === 0) return
  const sizes = cut.map(({ size }) => formatBytes(size))
  const what = [
    ...(cut.length === 0 ? [] : [`only the beginning was kept (of ${sizes.join(', ')})`]),
    ...(omitted === 0 ? [] : [`${omitted} more were not kept`]),
  ]
  io.stderr.write(`${colorsFor(io.stderr, io.env).yellow('note')}: ${name}: ${what.join('; ')}.\n`)
}

interface Following {
  readonly args: Arguments
  readonly io: Io
  readonly network: Network
  readonly url: string
  /** How many of those that are over already are told of. */
  readonly limit: number
}

/** Tells of each exchange once it is over, until it is interrupted. */
async function follow(client: GatewayClient, { args, io, network, url, limit }: Following): Promise<number> {
  const colors = colorsFor(io.stdout, io.env)
  let told: Set<string> | undefined
  if (!args.flag('json')) io.stdout.write(headerRow(colors))
  for (;;) {
    const { list } = await getList(client, followLimit, url)
    const over = list.filter(({ state }) => state === 'ended')
    const news = told === undefined ? over.slice(0, limit) : over.filter(({ id }) => !told?.has(id))
    for (const summary of news.toReversed()) {
      io.stdout.write(args.flag('json') ? jsonLine(summary) : exchangeRow(summary, colors))
    }
    // Only those the gateway still has can come again.
    told = new Set(over.map(summary => summary.id))
    await network.sleep(pollMs)
  }
}

async function getList(
  client: GatewayClient,
  limit: number,
  url: string,
): Promise<{ value: unknown; list: TraceSummary[] }> {
  const value = await client.get(`/toolwire/traces?limit=${limit}`)
  const list = readTraceList(value)
  if (list === undefined) throw stranger(printable(url))
  return { value, list }
}

function readKey(args: Arguments, io: Io): string | undefined {
  const name = args.value('key-env')
  if (name === undefined) return undefined
  const key = io.env[name]
  if (key === undefined || key === '') throw new UsageError(`The variable ${printable(name)} is not set.`)
  return key
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return usualLimit
  if (!/^[1-9]\d{0,5}$/.test(text)) {
    throw new UsageError(`--limit must be a whole number above 0; got "${printable(text)}".`)
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

/** Line ends are only between the values of JSON, so what could harm a terminal can be escaped line by line. */
function pretty(value: unknown): string {
  return `${JSON.stringify(value, null, 2).split('\n').map(printable).join('\n')}\n`
}
