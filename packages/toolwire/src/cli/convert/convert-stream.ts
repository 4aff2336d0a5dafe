/** `toolwire convert stream`: the stream of one wire in, that of another out, as it comes. */
import { createExchange, type WireDefinition } from '@toolwire/core'
import type { WireSet } from '../../config/wires.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { InputError, UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { nameOf, readChunks } from '../../terminal/read-input.ts'
import { exitCodes } from '../exit-codes.ts'
import { readClientRequest } from './convert-body.ts'
import { checkTarget, type Job } from './job.ts'
import { exitCodeFor, guessNote, unknownWire, writeDiagnostics, writeNotes } from './write-result.ts'

/** The first event of a Responses stream repeats the whole request, and may be long. */
const longestHead = 1024 * 1024

export async function convertStream(job: Job, io: Io): Promise<number> {
  const { file, from: stated, to, options, args, wires } = job
  const request = await readClientRequest(job, io)
  const source = readChunks(file, 'server-sent events', io)
  const { chunks, from } = await readHead(source, stated, wires, file)
  checkTarget(from, options)
  const exchange = createExchange({ ...options, from: to, to: from })
  if (request !== undefined) exchange.request(request.body)
  const stream = exchange.stream()
  writeNotes([request?.note, stated === undefined ? guessNote(from) : undefined], io)

  const write = (text: string): void => {
    if (text !== '') io.stdout.write(text)
  }
  for (const chunk of chunks) write(stream.push(chunk))
  try {
    for await (const chunk of source) write(stream.push(chunk))
  } finally {
    // Also when the source failed: the stream then ends with an error of the client's wire.
    write(stream.end())
  }
  writeDiagnostics(stream.diagnostics, io)
  const { failure } = stream
  if (failure === undefined) return exitCodeFor(stream.diagnostics, args)
  const colors = colorsFor(io.stderr, io.env)
  io.stderr.write(`${colors.bold(colors.red('error'))}: The stream failed: ${printable(failure)}\n`)
  return exitCodes.findings
}

/** Reads only as much as is needed to know the wire. */
async function readHead(
  source: AsyncGenerator<Uint8Array>,
  stated: WireDefinition | undefined,
  wires: WireSet,
  file: string,
): Promise<{ chunks: Uint8Array[]; from: WireDefinition }> {
  const chunks: Uint8Array[] = []
  const decoder = new TextDecoder()
  let text = ''
  // The streams of some wires are JSON themselves.
  const mayBeJson = (stated === undefined ? wires.all : [stated]).some(
    ({ conversation: { frames } }) => frames.contentType !== 'text/event-stream',
  )
  while (text.length < longestHead) {
    const { value: chunk, done } = await source.next()
    if (done) break
    chunks.push(chunk)
    const more = decoder.decode(chunk, { stream: true })
    text += more
    if (!mayBeJson && /^\s*[[{]/.test(text)) {
      throw new UsageError(
        'This is JSON; server-sent events were expected.',
        'Did you mean "toolwire convert response"?',
      )
    }
    // Only a complete line can show more.
    const from = stated ?? (/[\r\n]/.test(more) ? wires.detect(text, 'stream') : undefined)
    if (from !== undefined && text.trim() !== '') return { chunks, from }
  }
  const from = stated ?? wires.detect(text, 'stream')
  if (from !== undefined) return { chunks, from }
  if (text.trim() === '') throw new InputError(printable(nameOf(file)), 'The input is empty.')
  throw unknownWire('The stream')
}
