/** A request that passes to an upstream byte by byte, and its answer back: nothing is read, and nothing collected. */

import { isObject, type JsonObject } from '@toolwire/core/json'
import type { RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { bodyTooLarge, GatewayError } from '../errors.ts'
import { parseOnLoop } from '../exchange/parse-answer.ts'
import { noteUpstream } from '../exchange/routed-request.ts'
import type { HeaderMap } from '../http/contract.ts'
import { headerText } from '../http/headers.ts'
import { loopLimits } from '../workers/loop-limits.ts'
import type { UpstreamAnswer } from './attempt.ts'
import { collectBody, readBody } from './read-body.ts'
import { sendUpstream } from './request.ts'
import type { ServedUpstream } from './served.ts'

/** What a client says of its body and of the answer that it wants. */
const requestHeaders = [
  'content-type',
  'content-encoding',
  'content-length',
  'accept',
  'idempotency-key',
  'openai-beta',
]
/** What an answer says of itself. Its length may change, when a key is masked in it. */
const answerHeaders = ['content-type', 'content-encoding', 'content-disposition']

const methods = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH'] as const

/** Where not all of it may pass as it is. */
export interface PassOptions {
  /** In place of the client's, which has been read. */
  readonly body?: string
  /** Gets an answer that is a JSON object, before the client does. */
  rewrite?(value: JsonObject): Promise<JsonObject>
  /** No other answer may pass: nobody could tell whose things it shows. */
  readonly onlyObjects?: boolean
}

/** `path` stands below the upstream's address. */
export async function passBytes(
  context: RequestContext,
  upstream: ServedUpstream,
  path: string,
  { body, rewrite, onlyObjects = false }: PassOptions = {},
): Promise<void> {
  const { request, gateway, wire, stopwatch } = context
  const method = methods.find(name => name === request.method)
  if (method === undefined) {
    throw new GatewayError('invalid_request', `${request.method.slice(0, 20)} is not passed on.`, {
      code: 'method_not_allowed',
      status: 405,
      headers: { allow: methods.join(', ') },
    })
  }
  noteUpstream(context, wire, upstream)
  const chunks =
    body === undefined
      ? request.chunks && new LimitedBody(request.chunks(), gateway.limits.bodyBytes)
      : undefined
  const { 'content-length': _, 'content-encoding': __, ...plain } = headersTo(context, upstream)
  try {
    const answer = await sendUpstream(
      { context, wire, upstream, stopwatch },
      {
        method,
        url: upstream.baseUrl + path,
        headers: body === undefined ? headersTo(context, upstream) : plain,
        body: body ?? '',
        ...(chunks && { chunks }),
      },
    )
    const isRead = rewrite !== undefined && answer.status < 300 && isJson(answer)
    if (onlyObjects && answer.status < 300 && !isRead) {
      answer.abort()
      throw unclearList(upstream.name)
    }
    await stopwatch.wait(
      isRead
        ? sendRewritten(context, upstream, answer, { rewrite, onlyObjects })
        : send(context, upstream, answer),
    )
  } catch (error) {
    throw chunks?.failure ?? error
  } finally {
    const { facts } = context.observation
    facts.totalMs = gateway.clock.now() - facts.startedAt
    facts.overheadMs = Math.max(0, facts.totalMs - stopwatch.waitedMs)
  }
}

function headersTo({ request, wire }: RequestContext, upstream: ServedUpstream): HeaderMap {
  const {
    'content-type': _,
    accept: __,
    ...own
  } = upstream.requestHeaders({ wire, headers: request.headers }, false)
  const given = requestHeaders.flatMap(name => {
    const value = request.headers[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(given), ...own }
}

/** The body as it comes, up to the limit of bodies. */
class LimitedBody {
  readonly #chunks: AsyncIterable<Uint8Array>
  readonly #limit: number
  /** Why no more of it was sent. */
  failure: GatewayError | undefined

  constructor(chunks: AsyncIterable<Uint8Array>, limit: number) {
    this.#chunks = chunks
    this.#limit = limit
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    let length = 0
    for await (const chunk of this.#chunks) {
      length += chunk.byteLength
      if (length > this.#limit) {
        this.failure = bodyTooLarge(this.#limit)
        throw this.failure
      }
      yield chunk
    }
  }
}

function isJson({ headers }: UpstreamAnswer): boolean {
  return /^application\/json\b/i.test(headers['content-type'] ?? '')
}

function unclearList(name: string): GatewayError {
  return new GatewayError(
    'server',
    `Upstream "${name}" answered with what is not a list in a JSON object, so that nobody can tell what of it is the client’s.`,
    { code: 'upstream_malformed', status: 502 },
  )
}

async function sendRewritten(
  context: RequestContext,
  upstream: ServedUpstream,
  answer: UpstreamAnswer,
  { rewrite, onlyObjects }: Required<Pick<PassOptions, 'rewrite' | 'onlyObjects'>>,
): Promise<void> {
  const { gateway, signal, memory } = context
  const { clock, limits } = gateway
  const { name } = upstream
  const { idleMs } = upstream.timeouts
  const bytes = await collectBody({ answer, limit: limits.answerBytes, clock, idleMs, signal, name })
  const value = parseOnLoop(bytes, name, loopLimits(gateway), memory)
  if (onlyObjects && !isObject(value)) throw unclearList(name)
  const more = { 'x-toolwire-upstream': upstream.headerName }
  sendJson(context, answer.status, isObject(value) ? await rewrite(value) : value, more)
}

async function send(
  context: RequestContext,
  upstream: ServedUpstream,
  answer: UpstreamAnswer,
): Promise<void> {
  const { gateway, sink, signal, observation, headers } = context
  const { limits, clock, retryHeaders } = gateway
  const { status } = answer
  // To follow it would send the key to an address that is not in the settings.
  if (status >= 300 && status < 400) {
    answer.abort()
    throw new GatewayError(
      'server',
      `Upstream "${upstream.name}" answered with a redirect (${status}), which is not followed. Correct its address.`,
      { code: 'upstream_redirect', status: 502 },
    )
  }
  observation.facts.status = status
  observation.facts.firstByteMs = clock.now() - observation.facts.startedAt
  const passed = Object.entries(answer.headers).filter(
    ([name]) => answerHeaders.includes(name) || retryHeaders.test(name),
  )
  sink.head(status, {
    ...Object.fromEntries(passed.map(([name, value]) => [name, headerText(value)])),
    ...headers,
    'x-toolwire-upstream': upstream.headerName,
    // A page among the files must not act as the inspector, whose origin and cookie it would have.
    'content-security-policy': 'sandbox',
  })
  let length = 0
  try {
    await readBody({
      answer,
      clock,
      idleMs: upstream.timeouts.idleMs,
      pingMs: 0,
      signal,
      name: upstream.name,
      progress: () => `${length} bytes`,
      onData(chunks, hold) {
        let isTaken = true
        for (const chunk of chunks) {
          length += chunk.byteLength
          isTaken = sink.write(chunk)
        }
        if (length > limits.streamLength) {
          throw new GatewayError(
            'server',
            `The answer of upstream "${upstream.name}" is longer than ${limits.streamLength} bytes.`,
            {
              code: 'upstream_too_large',
              status: 502,
            },
          )
        }
        if (!isTaken) hold(callback => sink.onDrain(callback))
        return 'alive'
      },
    })
  } catch (error) {
    // Nothing in the bytes could say that they are incomplete.
    sink.cut?.()
    throw error
  }
  sink.end()
}
