/** `toolwire convert request` and `toolwire convert response`: whole bodies. */
import { createExchange, detectWire, type BuiltInWire as Wire } from '@toolwire/core'
import { InputError, UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import type { JsonDocument } from '../../terminal/json-document.ts'
import { printable } from '../../terminal/printable.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { type Body, guessAnswerWire, isBody, kindOf, looksLikeEvents } from '../body-kind.ts'
import { inDocumentOrder } from '../document-order.ts'
import { readClientRequest } from './client-request.ts'
import type { Job } from './job.ts'
import { refuseContradiction } from './tool-options.ts'
import { guessNote, unknownWire, writeResult } from './write-result.ts'

export async function convertRequest(
  { file, from: stated, to, options, args }: Job,
  io: Io,
): Promise<number> {
  const { document, body } = await readBody(file, 'request', io)
  const from = stated ?? detectWire(body)
  if (from === undefined) throw unknownWire()
  const settings = { ...options, from, to }
  refuseContradiction(() => createExchange(settings).request({}))
  const { value, diagnostics } = createExchange(settings).request(body)
  return writeResult(
    { value, diagnostics: inDocumentOrder(diagnostics, document), notes: [noteOn(stated, from)] },
    args,
    io,
  )
}

/** An answer goes the other way: what the user calls `to` is the client's wire. */
export async function convertResponse(job: Job, io: Io): Promise<number> {
  const { file, from: stated, to, options, args } = job
  const { document, body } = await readBody(file, 'answer', io)
  const from = stated ?? guessAnswerWire(body)
  if (from === undefined) throw unknownWire()
  const settings = { ...options, from: to, to: from }
  const asked = await readClientRequest(job, io)
  refuseContradiction(() => {
    const trial = createExchange(settings)
    trial.request({})
    trial.response({})
  })
  const exchange = createExchange(settings)
  if (asked !== undefined) exchange.request(asked.body)
  const { value, diagnostics } = exchange.response(body)
  const notes = [asked?.note, noteOn(stated, from)]
  return writeResult({ value, diagnostics: inDocumentOrder(diagnostics, document), notes }, args, io)
}

function noteOn(stated: Wire | undefined, from: Wire): string | undefined {
  return stated === undefined ? guessNote(from) : undefined
}

/** The noun under which each kind of document is converted. */
const nounOf = { tools: 'tools', request: 'request', answer: 'response' } as const
const nameOfKind = { tools: 'a list of tools', request: 'a request', answer: 'an answer' } as const

async function readBody(
  file: string,
  wanted: 'request' | 'answer',
  io: Io,
): Promise<{ document: JsonDocument; body: Body }> {
  const input = await readInput(file, io)
  if (looksLikeEvents(input.text)) {
    throw new UsageError('These are server-sent events.', 'Did you mean "toolwire convert stream"?')
  }
  const document = parseInput(input, io)
  const kind = kindOf(document.value)
  if (kind !== undefined && kind !== wanted) {
    const message = `This is ${nameOfKind[kind]}, not ${nameOfKind[wanted]}.`
    throw new UsageError(message, `Did you mean "toolwire convert ${nounOf[kind]}"?`)
  }
  if (!isBody(document.value)) {
    throw new InputError(printable(input.name), `expected ${nameOfKind[wanted]}, which is an object.`)
  }
  return { document, body: document.value }
}
