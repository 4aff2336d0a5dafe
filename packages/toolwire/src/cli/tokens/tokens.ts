/** `toolwire tokens`: what each tool and message of a request costs. */
import { convertTools, type WireDefinition } from '@toolwire/core'
import { isObject } from '@toolwire/core/json'
import { costOf, type Price } from '@toolwire/core/presets'
import {
  counterForModel,
  countRequest,
  countTools,
  type Encoding,
  encodingOfModel,
  estimateCounter,
  loadCounter,
  type TokenCount,
  type TokenCounter,
} from '@toolwire/core/tokens'
import { loadConfig } from '../../config/load-config.ts'
import { priceFrom } from '../../config/price-fields.ts'
import type { WireSet } from '../../config/wires.ts'
import { mcpSource } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { InputError, UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { type Arguments, wireOption } from '../arguments.ts'
import { writeDiagnostics, writeNotes } from '../convert/write-result.ts'
import { exitCodes } from '../exit-codes.ts'
import { asToolInput, kindOf, looksLikeStream, type ToolInput } from '../input.ts'
import { modelPrice } from '../model-price.ts'
import { sortParts, tokensView } from './view.ts'

const usualRows = 20

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const [file = '-', ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One file at a time, please.')
  const top = readTop(args.value('top'))
  const stated = wireOption('--wire', args.value('wire'), wires)
  const input = await readInput(file, io)
  if (looksLikeStream(input.text, wires)) {
    throw new UsageError('A stream has no tokens to count.', 'Its answer tells them under "usage".')
  }
  const { value } = parseInput(input, io)
  refuseAnswer(value, input.name, wires)
  const expected = 'a request body, or a list of tools'
  const read = asToolInput(value, input.name, { wires, expected })
  const isMcp = read.source === mcpSource
  const tools =
    isMcp || stated === undefined ? read : asToolInput(value, input.name, { wires, stated, expected })
  const { value: counted, wire } = isMcp ? fromMcp(read, stated ?? wires.all[0]) : fromWire(tools)
  if (wire === undefined) {
    throw new UsageError('The input does not show which wire it is written for.', 'Name it with --wire.')
  }
  const model = args.value('model') ?? (isObject(counted) ? textOf(counted.model) : undefined)
  const { counter, note } = await chooseCounter(args.value('encoding'), model)
  const count = countInput(counted, { wire, counter, ...(model !== undefined && { model }) })
  const price = model === undefined ? undefined : await knownPrice(model, io, wires)
  const cost = price === undefined ? undefined : costOf({ input: count.total, output: 0 }, price)
  const parts = sortParts(count.parts, args.value('sort') ?? 'size')
  if (args.flag('json')) {
    const result = {
      wire: wire.name,
      ...(model !== undefined && { model }),
      ...count,
      ...(cost !== undefined && { cost_usd: cost, price }),
      parts,
    }
    io.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
    return exitCodes.ok
  }
  const origin = isMcp ? 'Read as a list of an MCP server, counted' : 'Read'
  writeNotes(
    [stated === undefined ? `${origin} as ${wire.name}; name another with --wire.` : undefined, note],
    io,
  )
  const root = Array.isArray(counted) ? 'tools' : ''
  const view = { count: { ...count, parts }, wire: wire.name, model, top, root, cost, price }
  const { stdout, env } = io
  stdout.write(
    tokensView(view, {
      columns: widthOf(stdout),
      unicode: speaksUnicode(io),
      colors: colorsFor(stdout, env),
    }),
  )
  writeDiagnostics(count.diagnostics, io, root)
  return exitCodes.ok
}

/** Of the configuration here, or at the host whose model it is. A configuration with mistakes has no prices. */
async function knownPrice(model: string, io: Io, wires: WireSet): Promise<Price | undefined> {
  const found = await loadConfig(undefined, io, wires).catch(() => undefined)
  return modelPrice(model, (found?.config.prices ?? []).map(priceFrom))
}

interface Counted {
  readonly value: unknown
  readonly wire: WireDefinition | undefined
}

/** Tools of an MCP server cost what they cost on a wire that they are sent on. */
function fromMcp({ value }: ToolInput, wire: WireDefinition | undefined): Counted {
  if (wire === undefined) return { value, wire }
  return { value: convertTools(value, { from: 'mcp', to: wire }).value, wire }
}

function fromWire({ value, source }: ToolInput): Counted {
  return { value, wire: source === mcpSource ? undefined : (source as WireDefinition | undefined) }
}

function countInput(
  value: unknown,
  options: { readonly wire: WireDefinition; readonly counter: TokenCounter; readonly model?: string },
): TokenCount {
  if (!Array.isArray(value)) return countRequest(value, options)
  const count = countTools(value, options)
  // A bare list has no "tools" before its indexes.
  const inList = (path: (string | number)[]): (string | number)[] =>
    path[0] === 'tools' ? path.slice(1) : path
  return {
    ...count,
    parts: count.parts.map(part => ({ ...part, path: inList(part.path) })),
    uncounted: count.uncounted.map(item => ({ ...item, path: inList(item.path) })),
    diagnostics: count.diagnostics.map(item => ({ ...item, path: inList(item.path) })),
  }
}

function refuseAnswer(value: unknown, name: string, wires: WireSet): void {
  if (kindOf(value, wires) !== 'answer' || !isObject(value) || hasHistory(value, wires)) return
  throw new InputError(
    printable(name),
    'this is an answer; it tells its tokens under "usage". Give the request.',
  )
}

function hasHistory(body: object, { all }: WireSet): boolean {
  return all.some(({ conversation: { habits } }) => Object.hasOwn(body, habits.history))
}

async function chooseCounter(
  encoding: string | undefined,
  model: string | undefined,
): Promise<{ counter: TokenCounter; note?: string }> {
  if (encoding === 'estimate') return { counter: estimateCounter }
  if (encoding !== undefined) return { counter: await namedCounter(encoding as Encoding) }
  const known = model === undefined ? 'o200k_base' : encodingOfModel(model)
  if (model !== undefined && known === undefined) {
    const note = `There is no public tokenizer for ${printable(model)}; this is an estimate.`
    return { counter: await counterForModel(model), note }
  }
  const counter = await loadCounter(known ?? 'o200k_base').catch(() => undefined)
  if (counter === undefined) return { counter: estimateCounter, note: noTokenizer }
  if (model !== undefined) return { counter }
  return { counter, note: 'Counted in o200k_base, as no model is named; name one with --model.' }
}

const noTokenizer =
  'This is an estimate; for exact counts: npm install gpt-tokenizer@4, where toolwire is installed.'

/** Somebody who names an encoding wants no estimate. */
async function namedCounter(encoding: Encoding): Promise<TokenCounter> {
  try {
    return await loadCounter(encoding)
  } catch {
    throw new UsageError(`--encoding ${encoding} needs a tokenizer, which is not installed.`, install)
  }
}

const install = 'Install it where toolwire is: npm install gpt-tokenizer@4. Or take --encoding estimate.'

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function readTop(text: string | undefined): number {
  if (text === undefined) return usualRows
  if (!/^\d{1,6}$/.test(text)) throw new UsageError('--top must be a whole number; 0 shows all.')
  return text === '0' || Number(text) === 0 ? Number.POSITIVE_INFINITY : Number(text)
}

/** Decided by the locale of the terminal; a pipe gets UTF-8, like every file that this command writes. */
function speaksUnicode({ stdout, env }: Io): boolean {
  if (!stdout.isTTY) return true
  if (env.TERM === 'dumb' || env.TERM === 'linux') return false
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  return locale === undefined || /utf-?8/i.test(locale)
}
