/** A message of a client on a socket, read without parsing it: what it asks for, and the request that it carries. */
import { createJsonMeter, isObject, parseJson } from '@toolwire/core/json'
import { GatewayError } from '../errors.ts'
import { asBuffer } from '../http/bytes.ts'
import { plainString, scanMembers } from '../http/json-members.ts'
import type { Limits } from '../settings.ts'

export interface MessageFacts {
  readonly type: string
  /** The lane that it belongs to; `undefined` for the one without a name. */
  readonly lane: string | undefined
  /** False: the model is to write nothing, and the answer is only to be continued later. */
  readonly generates: boolean
  /** The response that it names: the one to be continued, or to be interrupted. */
  readonly responseId: string | undefined
  /** Set where the message asks for what sockets do not have. */
  readonly isBackground: boolean
}

export interface ClientMessage extends MessageFacts {
  /** The request as it would be sent without a socket, as a stream. */
  body(): Buffer
}

/** Those that only messages have, and those that a socket decides. */
const ownFields: ReadonlySet<string> = new Set(['type', 'stream_id', 'generate', 'stream', 'background'])
const readFields: ReadonlySet<string> = new Set([...ownFields, 'previous_response_id', 'response_id'])

const laneName = /^[A-Za-z0-9_.-]{1,256}$/

/** Throws a `GatewayError`. The lane is told even of a message that is refused, as far as it could be read. */
export function readMessage(
  data: Uint8Array,
  { depth, nodes }: Pick<Limits, 'depth' | 'nodes'>,
  noteLane: (lane: string) => void,
): ClientMessage {
  const bytes = asBuffer(data)
  const text = bytes.toString('latin1')
  const found = new Map<string, string | undefined>()
  const kept: Buffer[] = []
  let isPrewarm = false
  const isPlain = scanMembers(text, createJsonMeter(depth - 1, nodes), (key, keyAt, start, end) => {
    if (readFields.has(key)) {
      if (found.has(key)) return false
      found.set(key, wordOf(text, start, end))
    }
    if (key === 'prompt_cache_options') isPrewarm = preparesCache(text.slice(start, end))
    if (!ownFields.has(key)) kept.push(separator, bytes.subarray(keyAt, end))
    return true
  })
  const lane = found.get('stream_id')
  if (lane !== undefined && laneName.test(lane)) noteLane(lane)
  if (!isPlain) throw notAMessage()
  const type = found.get('type')
  if (type === undefined) throw missingType()
  if (lane !== undefined && !laneName.test(lane)) throw invalidLane()
  const responseId = found.get('response_id') ?? found.get('previous_response_id')
  return {
    type,
    lane,
    generates: !isPrewarm && found.get('generate') !== '=false',
    responseId,
    isBackground: found.get('background') === '=true',
    body: () => Buffer.concat([beginning, ...kept, ending]),
  }
}

/** What the field asks for overrides "generate". */
function preparesCache(json: string): boolean {
  const options = json.length > longestOptions ? undefined : parseJson(json)
  return isObject(options) && options.prewarm === true
}

const longestOptions = 1024

/** The text of a string, or the JSON of any other value behind a mark that no name has. `null` is as good as nothing. */
function wordOf(text: string, start: number, end: number): string | undefined {
  const json = text.slice(start, end)
  return json === 'null' ? undefined : (plainString(text, start, end) ?? `=${json}`)
}

const separator = Buffer.from(',')
const beginning = Buffer.from('{"stream":true')
const ending = Buffer.from('}')

export function notAMessage(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'A message must be one JSON object, within "limits.depth" and "limits.nodes", and the names of its fields must be written once and without escapes.',
    { code: 'invalid_message', status: 400 },
  )
}

function missingType(): GatewayError {
  return new GatewayError(
    'invalid_request',
    'A message must say what it asks for: "type": "response.create".',
    {
      code: 'invalid_message',
      param: 'type',
      status: 400,
    },
  )
}

function invalidLane(): GatewayError {
  return new GatewayError(
    'invalid_request',
    '"stream_id" must be 1 to 256 letters, digits, "_", "." or "-".',
    { code: 'invalid_stream_id', param: 'stream_id', status: 400 },
  )
}
