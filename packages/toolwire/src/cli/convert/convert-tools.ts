/** `toolwire convert tools`: definitions of one wire in, of another out. */
import {
  type ConvertToolsOptions,
  convertTools as convertToolList,
  convertToolParams,
  type Diagnostic,
} from '@toolwire/core'
import type { Io } from '../../terminal/io.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { kindOf } from '../body-kind.ts'
import { inDocumentOrder } from '../document-order.ts'
import { asToolInput } from '../tool-input.ts'
import type { Job } from './job.ts'
import { refuseContradiction } from './tool-options.ts'
import { guessNote, unknownWire, writeResult } from './write-result.ts'

export async function convertTools({ file, from: stated, to, options, args }: Job, io: Io): Promise<number> {
  const input = await readInput(file, io)
  const document = parseInput(input, io)
  const source = asToolInput(document.value, input.name)
  // Where there are no tools, any wire would have written the same.
  const from = stated ?? source.wire ?? (source.empty ? to : undefined)
  if (from === undefined) throw unknownWire()
  refuseContradiction(() => convertToolList([], { ...options, from, to }))
  const { value, diagnostics } = convertToolInput(source.value, { ...options, from, to })
  return writeResult(
    {
      value,
      diagnostics: inDocumentOrder(diagnostics, document, source),
      notes: [
        source.note,
        kindOf(document.value) === 'request' ? '"toolwire convert request" converts all of it.' : undefined,
        stated === undefined && source.wire !== undefined ? guessNote(from) : undefined,
      ],
      root: Array.isArray(source.value) ? 'tools' : '',
    },
    args,
    io,
  )
}

/** A list of tools, or the tool part of a body. */
export function convertToolInput(
  value: unknown,
  options: ConvertToolsOptions,
): { value: unknown; diagnostics: Diagnostic[] } {
  return Array.isArray(value) ? convertToolList(value, options) : convertToolParams(value, options)
}
