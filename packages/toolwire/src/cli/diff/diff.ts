/** `toolwire diff`: one document on every wire, and what each of them loses. */
import { createExchange, type Diagnostic, type WireDefinition } from '@toolwire/core'
import type { WireSet } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import type { JsonDocument } from '../../terminal/json-document.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { type Arguments, wireOption } from '../arguments.ts'
import { convertToolInput } from '../convert/convert-tools.ts'
import { guessNote, unknownWire, writeNotes } from '../convert/write-result.ts'
import { exitCodes } from '../exit-codes.ts'
import { asToolInput, inDocumentOrder, kindOf, looksLikeStream } from '../input.ts'
import type { Comparison, WireView } from './column.ts'
import { diffView } from './view.ts'

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const [file = '-', ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One file at a time, please.', 'It is shown on every wire.')
  const stated = wireOption('--from', args.value('from'), wires)
  const input = await readInput(file, io)
  if (looksLikeStream(input.text, wires)) {
    throw new UsageError('A stream cannot be shown side by side.', '"toolwire convert stream" converts it.')
  }
  const compared = compare(parseInput(input, io), stated, input.name, wires)
  const { stdout, env } = io
  if (args.flag('json')) {
    const byName = compared.views.map(({ wire, value, diagnostics }) => [wire.name, { value, diagnostics }])
    stdout.write(`${JSON.stringify(Object.fromEntries(byName), null, 2)}\n`)
  } else {
    if (stated === undefined) writeNotes([guessNote(compared.from)], io)
    stdout.write(diffView(compared, widthOf(stdout), args.flag('full'), colorsFor(stdout, env)))
  }
  return exitCodes.ok
}

function compare(
  document: JsonDocument,
  stated: WireDefinition | undefined,
  name: string,
  wires: WireSet,
): Comparison {
  const kind = kindOf(document.value, wires) ?? 'tools'
  const expected = 'tools, a request or an answer'
  const tools = kind === 'tools' ? asToolInput(document.value, name, { wires, stated, expected }) : undefined
  const value = tools === undefined ? document.value : tools.value
  const from = stated ?? wires.detect(value, kind === 'answer' ? 'answer' : 'request')
  if (from === undefined) throw unknownWire()
  const views = wires.all.map((wire): WireView => {
    const converted = converters[kind](value, from, wire)
    const diagnostics = inDocumentOrder(converted.diagnostics, document, tools)
    return { wire, value: wire === from ? value : converted.value, diagnostics }
  })
  return { kind, from, views }
}

type Convert = (
  value: unknown,
  from: WireDefinition,
  to: WireDefinition,
) => { readonly value: unknown; readonly diagnostics: readonly Diagnostic[] }

const converters: { readonly [K in Comparison['kind']]: Convert } = {
  tools: (value, from, to) => convertToolInput(value, { from, to }),
  request: (value, from, to) => createExchange({ from, to }).request(value),
  answer: (value, from, to) => {
    let ids = 0
    const newId = (prefix: string): string => `${prefix}${++ids}`
    return createExchange({ from: to, to: from, newId, now: () => 0 }).response(value)
  },
}
