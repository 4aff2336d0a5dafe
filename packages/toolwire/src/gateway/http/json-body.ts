/** The body of a request: its bytes, and the JSON object in them, with errors that say where the text is wrong. */
import type { JsonExcess, JsonObject } from '@toolwire/core/json'
import { countJsonNodes, isObject, jsonExcess } from '@toolwire/core/json'
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { JsonLimits } from '../workers/loop-limits.ts'
import { loopLimits, refuseForLoop } from '../workers/loop-limits.ts'
import { unlessAborted } from './abort.ts'
import { nodeBytes, textBytes } from './byte-budget.ts'
import { asBuffer } from './bytes.ts'
import { decoderFor } from './content-encoding.ts'
import { MaskedHead } from './headers.ts'

export type { JsonObject } from '@toolwire/core/json'

export async function readBytes({
  gateway,
  route,
  request,
  observation,
  signal,
  memory,
  share,
}: RequestContext): Promise<Uint8Array> {
  const type = request.headers['content-type'] ?? ''
  // Pages may send forms and plain text to any origin without a preflight; JSON they may not.
  if (type !== 'application/json' && !/^\s*application\/([\w.+-]+\+)?json\b/i.test(type)) {
    throw new GatewayError('invalid_request', 'Send the body as "content-type: application/json".', {
      code: 'unsupported_media_type',
      status: 415,
    })
  }
  const started = gateway.clock.now()
  const before = memory.bytes
  // The bytes, and the text that they are searched as.
  const reserve = (more: number): void => memory.take(2 * more, 'request')
  const limit = Math.min(gateway.limits.bodyBytes, route.bodyBytes ?? Number.POSITIVE_INFINITY)
  const decode = decoderFor(request.headers['content-encoding'])
  const sent = await unlessAborted(signal, request.body(limit, reserve))
  const bytes = decode === undefined ? sent : await unlessAborted(signal, decode(sent, { limit, reserve }))
  // A server may not know how to reserve.
  memory.take(before + 2 * bytes.length - memory.bytes, 'request')
  // The time that a client takes to send its request does not count as the gateway's.
  observation.facts.startedAt += gateway.clock.now() - started
  // Working on it is a step of its own.
  const turn = gateway.turns?.enter(share)
  if (turn !== undefined) await turn
  if (observation.wantsViews) {
    const { method, target, headers } = request
    observation.viewHead('client-request', new MaskedHead(`${method} ${target}`, headers, gateway.keyHeaders))
    observation.view('client-request', bytes)
  }
  return bytes
}

export async function readJson(context: RequestContext): Promise<JsonObject> {
  const bytes = await readBytes(context)
  const limits = loopLimits(context.gateway)
  refuseForLoop(bytes.length, limits)
  weighBody(context, bytes.length, countJsonNodes(asBuffer(bytes).toString('latin1')))
  return parseJsonBody(bytes, limits)
}

/** Takes the memory for a body of so many bytes and nodes that is going to be parsed. */
export function weighBody({ memory }: RequestContext, bytes: number, nodes: number): void {
  memory.take(textBytes(bytes) + nodeBytes(nodes), 'request')
}

const decoder = new TextDecoder('utf-8', { fatal: true })

/** The body of a request that `peekRequest` has found to be an object, and not nested too deep. */
export function parsePeeked(bytes: Uint8Array, text: string | undefined): JsonObject {
  return withFewFields(parse(text ?? decode(bytes)) as JsonObject)
}

/** Many times as many as any wire has. A request is copied several times, which takes long where it has very many fields. */
const mostFields = 1000

function withFewFields(body: JsonObject): JsonObject {
  if (Object.keys(body).length <= mostFields) return body
  throw new GatewayError('too_large', `The request body has more than ${mostFields} fields. Send fewer.`, {
    code: 'body_too_many_nodes',
  })
}

export function parseJsonBody(bytes: Uint8Array, limits: JsonLimits): JsonObject {
  const text = decode(bytes)
  const excess = jsonExcess(text, limits.depth, limits.nodes)
  if (excess !== undefined) throw tooMuchJson(excess, limits)
  const value = parse(text)
  if (!isObject(value)) throw new GatewayError('invalid_request', 'The request body must be a JSON object.')
  return withFewFields(value)
}

function tooMuchJson(
  { limit, at }: JsonExcess,
  { depth, nodes, nodesSetting = 'nodes' }: JsonLimits,
): GatewayError {
  return limit === 'depth'
    ? new GatewayError(
        'too_large',
        `The request body is nested deeper than ${depth} levels (at character ${at}). Nest it less, or raise "limits.depth".`,
        { code: 'body_too_deep' },
      )
    : new GatewayError(
        'too_large',
        `The request body has more than ${nodes} values (at character ${at}). Send fewer, or raise "limits.${nodesSetting}".`,
        { code: 'body_too_many_nodes' },
      )
}

function decode(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new GatewayError('invalid_request', 'The request body is not valid UTF-8.')
  }
}

function parse(text: string): unknown {
  if (text.trim() === '')
    throw new GatewayError('invalid_request', 'The request body is empty. Send a JSON object.')
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw new GatewayError('invalid_request', `The request body is not valid JSON: ${reason}`)
  }
}
