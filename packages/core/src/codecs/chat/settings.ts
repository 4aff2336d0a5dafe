/** Chat's parameters that other wires have too. */
import type { Draft, JsonObject } from '../../model/json.ts'
import { append, compact, isObject, own } from '../../model/json.ts'
import type { OutputFormat, Settings } from '../../model/request.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import type { PlainSetting } from '../plain-settings.ts'
import { readPlainSettings, writePlainSettings } from '../plain-settings.ts'

/** Parameters that are read and written as they are. */
const plainSettings: readonly PlainSetting[] = [
  ['temperature', 'temperature', 'number'],
  ['topP', 'top_p', 'number'],
  ['stream', 'stream', 'boolean'],
  ['effort', 'reasoning_effort', 'string'],
  ['verbosity', 'verbosity', 'string'],
  ['logprobs', 'logprobs', 'boolean'],
  ['topLogprobs', 'top_logprobs', 'number'],
  ['store', 'store', 'boolean'],
  ['metadata', 'metadata', 'object'],
  ['serviceTier', 'service_tier', 'string'],
  ['safetyIdentifier', 'safety_identifier', 'string'],
  ['promptCacheKey', 'prompt_cache_key', 'string'],
  ['promptCacheRetention', 'prompt_cache_retention', 'string'],
  ['user', 'user', 'string'],
]

const limitKeys = ['max_completion_tokens', 'max_tokens'] as const

export interface Leftovers {
  readonly entries: ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

export function decodeSettings(body: JsonObject, fields: FieldReader, left: Leftovers): Settings {
  const settings: Draft<Settings> = {}
  readPlainSettings(plainSettings, fields, settings)
  const limitKey = limitKeys.find(key => typeof own(body, key) === 'number')
  if (limitKey !== undefined) {
    fields.skip(limitKey)
    settings.maxOutputTokens = { value: own(body, limitKey) as number, path: [limitKey] }
  }
  readStop(body, fields, settings, left)
  readStreamOptions(body, fields, settings, left)
  readFormat(body, fields, settings, left)
  return settings
}

function readStop(body: JsonObject, fields: FieldReader, settings: Draft<Settings>, left: Leftovers): void {
  const stop = own(body, 'stop')
  if (typeof stop === 'string') {
    settings.stop = { value: [stop], path: ['stop'] }
    left.quiet.push([['stop'], stop])
  } else if (Array.isArray(stop) && stop.every(text => typeof text === 'string')) {
    settings.stop = { value: stop, path: ['stop'] }
  } else return
  fields.skip('stop')
}

function readStreamOptions(
  body: JsonObject,
  fields: FieldReader,
  settings: Draft<Settings>,
  left: Leftovers,
): void {
  const options = own(body, 'stream_options')
  if (!isObject(options)) return
  fields.skip('stream_options')
  const inner = createFieldReader(options)
  const value = inner.boolean('include_usage')
  if (value !== undefined) settings.includeUsage = { value, path: ['stream_options', 'include_usage'] }
  append(left.entries, inner.rest(['stream_options']))
  if (Object.keys(options).length === 0) left.quiet.push([['stream_options'], {}])
}

function readFormat(body: JsonObject, fields: FieldReader, settings: Draft<Settings>, left: Leftovers): void {
  const path = ['response_format']
  const given = own(body, 'response_format')
  if (!isObject(given)) return
  const outer = createFieldReader(given)
  const type = outer.string('type')
  if (type === 'text' || type === 'json_object') {
    settings.format = { value: { type }, path }
  } else {
    const held = outer.object('json_schema')
    if (type !== 'json_schema' || held === undefined) return
    const inner = createFieldReader(held)
    settings.format = { value: { type, ...readSchemaFormat(inner) }, path }
    append(left.entries, inner.rest(['response_format', 'json_schema']))
  }
  append(left.entries, outer.rest(path))
  fields.skip('response_format')
}

function readSchemaFormat(fields: FieldReader): Omit<OutputFormat & { type: 'json_schema' }, 'type'> {
  return compact({
    name: fields.string('name'),
    description: fields.string('description'),
    schema: fields.value('schema'),
    strict: fields.boolean('strict'),
  })
}

/** A request that was Chat's keeps the name it had for its limit; `max_tokens` is the deprecated one. */
export function encodeSettings(settings: Settings, isOwn: boolean, written: Record<string, unknown>): void {
  const { maxOutputTokens: limit, stop, includeUsage, format } = settings
  if (limit !== undefined) {
    const [current, deprecated] = limitKeys
    written[isOwn && limit.path[0] === deprecated ? deprecated : current] = limit.value
  }
  writePlainSettings(plainSettings, settings, written)
  if (stop !== undefined) written.stop = stop.value
  if (includeUsage !== undefined) written.stream_options = { include_usage: includeUsage.value }
  if (format !== undefined) written.response_format = writeFormat(format.value)
}

function writeFormat(format: OutputFormat): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type }
  const { type, name, description, schema, strict } = format
  return { type, json_schema: compact({ name, description, schema, strict }) }
}
