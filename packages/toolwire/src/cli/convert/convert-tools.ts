/** `toolwire convert tools`: definitions of one wire in, of another out. */
import {
  type ConvertToolsOptions,
  convertTools as convertToolList,
  convertToolParams,
  type Diagnostic,
} from '@toolwire/core'
import { sourceOption } from '../../config/wires.ts'
import type { Io } from '../../terminal/io.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { asToolInput, inDocumentOrder, kindOf } from '../input.ts'
import type { Job } from './job.ts'
import { checkTarget } from './job.ts'
import { guessNote, unknownWire, writeResult } from './write-result.ts'

export async function convertTools(job: Job, io: Io): Promise<number> {
  const { file, source: stated, to, options, args, wires } = job
  checkTarget(to, options)
  const input = await readInput(file, io)
  const document = parseInput(input, io)
  const tools = asToolInput(document.value, input.name, { wires, stated })
  // Without tools the input is the same on every wire.
  const from = tools.source ?? (tools.empty ? to : undefined)
  if (from === undefined) throw unknownWire()
  const { value, diagnostics } = convertToolInput(tools.value, { ...options, from: sourceOption(from), to })
  return writeResult(
    {
      value,
      diagnostics: inDocumentOrder(diagnostics, document, tools),
      notes: [
        tools.note,
        kindOf(document.value, wires) === 'request'
          ? '"toolwire convert request" converts all of it.'
          : undefined,
        stated === undefined && tools.source !== undefined ? guessNote(from) : undefined,
      ],
      root: Array.isArray(tools.value) ? 'tools' : '',
    },
    args,
    io,
  )
}

/** A list of tools, or the tool part of a body. What an MCP server says is a list, whatever is around it. */
export function convertToolInput(
  value: unknown,
  options: ConvertToolsOptions,
): { value: unknown; diagnostics: Diagnostic[] } {
  const isList = Array.isArray(value) || options.from === 'mcp'
  return isList ? convertToolList(value, options) : convertToolParams(value, options)
}
