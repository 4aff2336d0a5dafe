/** Checks a Chat Completions request and reads what the demo model needs of it. */
import { createHash } from 'node:crypto'
import type { JsonObject } from '@toolwire/core/json'
import { own } from '@toolwire/core/json'
import { GatewayError } from '../gateway/errors.ts'
import { parseJsonBody } from '../gateway/http/json-body.ts'
import type { Behaviour } from './demo-models.ts'
import { behaviourOf, demoModels } from './demo-models.ts'
import { ownObject, ownString } from './json.ts'
import type { Conversation } from './read-messages.ts'
import { readConversation } from './read-messages.ts'
import type { Toolbox } from './read-tools.ts'
import { readToolbox, refusal } from './read-tools.ts'

export interface DemoRequest extends Conversation, Toolbox {
  readonly model: string
  readonly behaviour: Behaviour
  readonly showsReasoning: boolean
  readonly isStreamed: boolean
  readonly includesUsage: boolean
  readonly maxTokens: number | undefined
  readonly stop: readonly string[]
  readonly format: OutputFormat
  /** A hash of the messages and the tools, so that it is the same with and without streaming. */
  readonly digest: string
  readonly promptLength: number
}

type OutputFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: JsonObject }

const limits = { depth: 512, nodes: 1_000_000 }
const encoder = new TextEncoder()

export function readRequest(bytes: string | Uint8Array): DemoRequest {
  const body = parseJsonBody(typeof bytes === 'string' ? encoder.encode(bytes) : bytes, limits)
  const model = own(body, 'model')
  if (typeof model !== 'string' || model === '')
    throw refusal("Missing required parameter: 'model'.", 'model', 'missing_required_parameter')
  const behaviour = behaviourOf(model)
  if (behaviour === undefined) throw unknownModel(model)
  const messages = own(body, 'messages')
  if (!Array.isArray(messages) || messages.length === 0)
    throw refusal("Missing required parameter: 'messages'.", 'messages', 'missing_required_parameter')
  if ((own(body, 'n') ?? 1) !== 1)
    throw refusal(
      "The demo model gives one choice. Leave out 'n' or set it to 1.",
      'n',
      'unsupported_parameter',
    )
  const prompt = JSON.stringify([messages, own(body, 'tools'), own(body, 'functions')])
  return {
    ...readConversation(messages),
    ...readToolbox(body),
    model,
    behaviour,
    showsReasoning:
      behaviour === 'reasoning' || !['none', undefined].includes(ownString(body, 'reasoning_effort')),
    isStreamed: own(body, 'stream') === true,
    includesUsage: own(ownObject(body, 'stream_options') ?? {}, 'include_usage') === true,
    maxTokens: readLimit(body),
    stop: readStop(body),
    format: readFormat(body),
    digest: createHash('sha256').update(prompt).digest('hex').slice(0, 24),
    promptLength: prompt.length,
  }
}

function unknownModel(model: string): GatewayError {
  return new GatewayError(
    'not_found',
    `The model ${JSON.stringify(model.slice(0, 100))} does not exist. The demo models are ${demoModels.join(', ')}.`,
    { param: 'model', code: 'model_not_found' },
  )
}

function readLimit(body: JsonObject): number | undefined {
  for (const key of ['max_completion_tokens', 'max_tokens']) {
    const value = own(body, key) ?? undefined
    if (value === undefined) continue
    if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
    throw refusal(`Invalid value for '${key}': expected a whole number of at least 1.`, key, 'invalid_value')
  }
  return undefined
}

function readStop(body: JsonObject): readonly string[] {
  const stop = own(body, 'stop') ?? []
  const texts: readonly unknown[] = Array.isArray(stop) ? stop : [stop]
  if (texts.length <= 4 && texts.every(text => typeof text === 'string' && text !== ''))
    return texts as string[]
  throw refusal(
    "Invalid value for 'stop': expected up to 4 strings that are not empty.",
    'stop',
    'invalid_value',
  )
}

function readFormat(body: JsonObject): OutputFormat {
  const format = ownObject(body, 'response_format')
  const type = format === undefined ? 'text' : own(format, 'type')
  if (type === 'text' || type === 'json_object') return { type }
  const named = format === undefined ? undefined : ownObject(format, 'json_schema')
  if (type === 'json_schema' && named !== undefined)
    return { type, schema: ownObject(named, 'schema') ?? { type: 'object' } }
  throw refusal(
    "Invalid value for 'response_format'. Supported types are: 'text', 'json_object' and 'json_schema' with its 'json_schema'.",
    'response_format',
    'invalid_value',
  )
}
