/**
 * A model for tests: it answers with the turns of its script, in the valid format of any of the three wires:
 *
 *     const model = createScriptedModel({ wire: 'chat', script: [calls({ name: 'add', arguments: { a: 1 } }), says('1')] })
 *     await runMyAgent(new OpenAI({ apiKey: 'none', fetch: model.fetch }))
 *     expect(model.requests[1]?.results).toEqual([{ callId: 'call_1', text: '1', isError: false }])
 *     model.assertDone()
 */

import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'
import { createReport } from '../model/diagnostic.ts'
import type { SignalLike } from '../runtime/host.ts'
import type { AnswerContext, WireDefinition } from '../wires/define-wire.ts'
import type { Wire } from '../wires/registry.ts'
import { builtInWires, wireNames as wires } from '../wires/registry.ts'
import type { Delivery } from './delivery.ts'
import { deliver } from './delivery.ts'
import type { Pieces } from './pieces.ts'
import type { Script } from './script.ts'
import { createScriptReader, ScriptError } from './script.ts'
import { createScriptedFetch } from './scripted-fetch.ts'
import type { SeenRequest } from './seen-request.ts'
import { seeRequest } from './seen-request.ts'
import type { Fetch, HeadersLike } from './web.ts'
import { web } from './web.ts'

/** The wire, script and pieces of a scripted model. */
export interface ScriptedModelOptions {
  readonly wire: Wire
  readonly script: Script
  readonly pieces?: Pieces
  /**
   * `refuse` answers 400, as a server does, to a history whose calls have no result or whose results have no call;
   * no turn of the script is used for it. By default such a history is accepted, and `requests` shows the ids.
   */
  readonly pairing?: 'refuse' | 'ignore'
  /** Counts up by default: `call_1`, `call_2`. */
  readonly newId?: (prefix: string) => string
  /** Seconds since 1970; always the same by default. */
  readonly now?: () => number
}

/** A model without a network that says what its script says, on any wire. */
export interface ScriptedModel {
  /** The wire's name. */
  readonly wire: string
  /** Returns the answer, or its server-sent events when `body.stream` is true. Rejects where a server refuses. */
  readonly send: (
    body: object,
    options?: SendOptions,
  ) => Promise<JsonObject | AsyncIterable<string | Uint8Array>>
  /** Replaces the platform's `fetch`, so that official clients can use this model. */
  readonly fetch: Fetch
  readonly requests: readonly SeenRequest[]
  /** Throws when turns of the script are left, or were too few. */
  readonly assertDone: () => void
}

/** The signal with which a scripted request is ended. */
export interface SendOptions {
  readonly signal?: SignalLike | undefined
}

/** `send` rejects with it when the model refuses the request; it has the fields of official clients' errors. */
export class ScriptedRefusal extends Error {
  override readonly name: string = 'ScriptedRefusal'
  readonly status: number
  readonly headers: HeadersLike
  /** The body of the answer, in the format of the wire. */
  readonly error: JsonObject | string

  constructor(status: number, headers: HeadersLike, error: JsonObject | string) {
    super(`${status} ${JSON.stringify(error)}`)
    this.status = status
    this.headers = headers
    this.error = error
  }
}

const fixedNow = 1_700_000_000

/**
 * Makes a model that answers by a script, on any wire, streamed in any pieces, with faults if wanted.
 *
 * @example
 * ```js
 * import { createScriptedModel, says } from '@toolwire/core/testing'
 *
 * const model = createScriptedModel({ wire: 'chat', script: [says('Hello.')] })
 * const answer = await model.send({ model: 'any', messages: [{ role: 'user', content: 'Hi' }] })
 * console.log(answer.choices[0].message.content)
 * ```
 */
export function createScriptedModel(options: ScriptedModelOptions): ScriptedModel {
  checkOptions(options)
  const { script, pieces = {}, newId = countingIds(), now = () => fixedNow } = options
  const wire = definitionOf(options.wire)
  const codec = wire.conversation
  const reader = createScriptReader(script)
  const requests: SeenRequest[] = []

  const refuse = (status: number, message: string): Delivery => {
    const error = { kind: status === 404 ? 'not_found' : 'invalid_request', message } as const
    const failed = { turns: [], finish: { reason: 'failed' }, error } as const
    return { status, headers: {}, body: codec.encodeAnswer(failed, { newId, now }, createReport().report) }
  }

  const answer = async (
    sent: object,
    headers: SeenRequest['headers'],
    signal?: SignalLike,
  ): Promise<Delivery> => {
    if (signal?.aborted) throw signal.reason
    const body = copyOf(sent)
    const request = seeRequest(codec, { index: requests.length, body, headers })
    requests.push(request)
    const unpaired = options.pairing === 'refuse' ? describeUnpaired(request) : undefined
    if (unpaired !== undefined) return refuse(400, unpaired)
    const context: AnswerContext = { request: body, newId, now }
    return deliver(await reader.next(request), {
      codec,
      context,
      pieces,
      signal,
      isStreamed: request.isStreamed,
    })
  }

  const send: ScriptedModel['send'] = async (body, { signal } = {}) => {
    const { status, headers, body: answerBody, stream } = await answer(body, {}, signal)
    if (stream !== undefined) return stream
    if (status >= 400) throw new ScriptedRefusal(status, new web.Headers(headers), answerBody)
    if (typeof answerBody === 'string') throw new SyntaxError(`The answer is not JSON: ${show(answerBody)}`)
    return answerBody
  }

  return {
    wire: wire.name,
    send,
    fetch: createScriptedFetch({ wire, answer, refuse }),
    requests,
    assertDone: reader.assertDone,
  }
}

function definitionOf(wire: Wire): WireDefinition {
  if (typeof wire === 'string' && Object.hasOwn(builtInWires, wire)) return builtInWires[wire]
  if (typeof wire === 'object' && wire?.conversation !== undefined) return wire
  throw new ScriptError(`"wire" must be one of ${wires.join(', ')}; got ${show(wire)}.`)
}

const known: KnownOptions<ScriptedModelOptions> = {
  wire: true,
  script: true,
  pieces: true,
  pairing: true,
  newId: true,
  now: true,
}

function checkOptions(options: ScriptedModelOptions): void {
  refuseUnknownOptions('createScriptedModel', options, known)
  const { wire, script, pieces = {} } = options
  definitionOf(wire)
  if (typeof script !== 'function' && !Array.isArray(script)) {
    throw new ScriptError(
      `"script" must be an array of turns or a function that returns them; got ${show(script)}.`,
    )
  }
  for (const [name, size] of Object.entries({ text: pieces.text, bytes: pieces.bytes })) {
    if (typeof size === 'number' && !(Number.isInteger(size) && size > 0)) {
      throw new ScriptError(`"pieces.${name}" must be a whole number above 0; got ${size}.`)
    }
  }
}

/** A server gets a copy, which does not change with the caller's object. */
function copyOf(body: unknown): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(body) ?? 'null')
  if (isObject(copy)) return copy
  throw new ScriptError(`A request body must be an object; got ${show(body)}.`)
}

function describeUnpaired({ unansweredCalls, orphanedResults }: SeenRequest): string | undefined {
  if (unansweredCalls.length > 0) return `Calls without exactly one result: ${unansweredCalls.join(', ')}.`
  return orphanedResults.length > 0 ? `Results without a call: ${orphanedResults.join(', ')}.` : undefined
}

function countingIds(): (prefix: string) => string {
  const counts = new Map<string, number>()
  return prefix => {
    const count = (counts.get(prefix) ?? 0) + 1
    counts.set(prefix, count)
    return `${prefix}${count}`
  }
}
