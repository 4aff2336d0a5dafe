/** `toolwire convert request` and `toolwire convert response`: whole bodies. */
import { createExchange, type WireDefinition } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core/json'
import type { WireSet } from '../../config/wires.ts'
import { InputError, UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import type { JsonDocument } from '../../terminal/json-document.ts'
import { printable } from '../../terminal/printable.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { inDocumentOrder, kindOf, looksLikeEvents, looksLikeStream } from '../input.ts'
import { checkTarget, type Job } from './job.ts'
import { guessNote, unknownWire, writeResult } from './write-result.ts'

export async function convertRequest(
  { file, from: stated, to, options, args, wires }: Job,
  io: Io,
): Promise<number> {
  checkTarget(to, options)
  const { document, body } = await readBody(file, 'request', wires, io)
  const from = stated ?? wires.detect(body)
  if (from === undefined) throw unknownWire()
  const { value, diagnostics } = createExchange({ ...options, from, to }).request(body)
  return writeResult(
    { value, diagnostics: inDocumentOrder(diagnostics, document), notes: [noteOn(stated, from)] },
    args,
    io,
  )
}

/** An answer goes the other way: `to` is the client's wire. */
export async function convertResponse(job: Job, io: Io): Promise<number> {
  const { file, from: stated, to, options, args, wires } = job
  const { document, body } = await readBody(file, 'answer', wires, io)
  const from = stated ?? wires.detect(body, 'answer')
  if (from === undefined) throw unknownWire()
  checkTarget(from, options)
  const request = await readClientRequest(job, io)
  const exchange = createExchange({ ...options, from: to, to: from })
  if (request !== undefined) exchange.request(request.body)
  const { value, diagnostics } = exchange.response(body)
  const notes = [request?.note, noteOn(stated, from)]
  return writeResult({ value, diagnostics: inDocumentOrder(diagnostics, document), notes }, args, io)
}

function noteOn(stated: WireDefinition | undefined, from: WireDefinition): string | undefined {
  return stated === undefined ? guessNote(from) : undefined
}

/** The noun under which each kind of document is converted. */
const nounOf = { tools: 'tools', request: 'request', answer: 'response' } as const
const nameOfKind = { tools: 'a list of tools', request: 'a request', answer: 'an answer' } as const

async function readBody(
  file: string,
  wanted: 'request' | 'answer',
  wires: WireSet,
  io: Io,
): Promise<{ document: JsonDocument; body: JsonObject }> {
  const input = await readInput(file, io)
  if (looksLikeStream(input.text, wires)) {
    throw new UsageError(
      looksLikeEvents(input.text) ? 'These are server-sent events.' : 'This is a stream.',
      'Did you mean "toolwire convert stream"?',
    )
  }
  const document = parseInput(input, io)
  const kind = kindOf(document.value, wires)
  if (kind !== undefined && kind !== wanted) {
    const message = `This is ${nameOfKind[kind]}, not ${nameOfKind[wanted]}.`
    throw new UsageError(message, `Did you mean "toolwire convert ${nounOf[kind]}"?`)
  }
  if (!isObject(document.value)) {
    throw new InputError(printable(input.name), `expected ${nameOfKind[wanted]}, which is an object.`)
  }
  return { document, body: document.value }
}

/** The request that an answer belongs to. It tells which tools the client declared. */
interface ClientRequest {
  readonly body: JsonObject
  readonly note?: string
}

export async function readClientRequest(
  { request: file, to, wires }: Pick<Job, 'request' | 'to' | 'wires'>,
  io: Io,
): Promise<ClientRequest | undefined> {
  if (file === undefined) return undefined
  const input = await readInput(file, io)
  const body = parseInput(input, io).value
  const name = printable(input.name)
  if (!isObject(body)) throw new InputError(name, 'expected a request, which is an object.')
  // Only its tools matter here. A request for the upstream's wire would restore nothing.
  const shown = Array.isArray(body.tools) ? wires.detect(body.tools) : undefined
  if (shown === undefined || shown === to) return { body }
  return {
    body,
    note: `The tools in ${name} look written for ${shown.name}; they are read as ${to.name}, the client's wire.`,
  }
}
