/** `toolwire diff`: one document on every wire, and what each of them loses. */
import { createExchange, type Diagnostic, type WireDefinition } from '@toolwire/core'
import type { ToolSource, WireSet } from '../../config/wires.ts'
import { mcpSource, sourceOption } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import { type Io, widthOf } from '../../terminal/io.ts'
import type { JsonDocument } from '../../terminal/json-document.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { type Arguments, sourceFlag } from '../arguments.ts'
import { convertToolInput } from '../convert/convert-tools.ts'
import { guessNote, unknownWire, writeNotes } from '../convert/write-result.ts'
import { exitCodes } from '../exit-codes.ts'
import { asToolInput, inDocumentOrder, kindOf, looksLikeStream } from '../input.ts'
import type { Comparison, WireView } from './column.ts'
import { diffView } from './view.ts'

export async function run(args: Arguments, io: Io, wires: WireSet): Promise<number> {
  const [file = '-', ...more] = args.positionals
  if (more.length > 0) throw new UsageError('One file at a time, please.', 'It is shown on every wire.')
  const stated = sourceFlag('--from', args.value('from'), wires)
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
  stated: ToolSource | undefined,
  name: string,
  wires: WireSet,
): Comparison {
  const kind = stated === mcpSource ? 'tools' : (kindOf(document.value, wires) ?? 'tools')
  const expected = 'tools, a request or an answer'
  const tools = kind === 'tools' ? asToolInput(document.value, name, { wires, stated, expected }) : undefined
  const value = tools === undefined ? document.value : tools.value
  const from = stated ?? tools?.source ?? wires.detect(value, kind === 'answer' ? 'answer' : 'request')
  if (from === undefined) throw unknownWire()
  const views = wires.all.map((wire): WireView => {
    const converted = convert(kind, value, from, wire)
    const diagnostics = inDocumentOrder(converted.diagnostics, document, tools)
    return { wire, value: wire === from ? value : converted.value, diagnostics }
  })
  const source: WireView[] = from === mcpSource ? [{ wire: mcpSource, value, diagnostics: [] }] : []
  return { kind, from, views: [...source, ...views] }
}

type Result = { readonly value: unknown; readonly diagnostics: readonly Diagnostic[] }

/** Only tools have sources other than wires. */
function convert(kind: Comparison['kind'], value: unknown, from: ToolSource, to: WireDefinition): Result {
  if (kind === 'tools' || from === mcpSource) return convertToolInput(value, { from: sourceOption(from), to })
  const wire = from as WireDefinition
  if (kind === 'request') return createExchange({ from: wire, to }).request(value)
  let ids = 0
  const newId = (prefix: string): string => `${prefix}${++ids}`
  return createExchange({ from: to, to: wire, newId, now: () => 0 }).response(value)
}
