/** Parameters of Chat that other wires also have. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { OutputFormat, Settings } from '../../../model/request.ts'
import { openaiCacheMark } from '../../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import type { FieldSetting } from '../../kit/plain-settings.ts'
import {
  decodeFieldSettings,
  decodeInnerSettings,
  encodeFieldSettings,
  encodeInnerSettings,
  openAiSettings,
} from '../../kit/plain-settings.ts'
import type { Leftovers } from '../../kit/residue.ts'

/** Parameters whose value is the same in the model. */
const plainSettings: readonly FieldSetting[] = [
  ['temperature', 'temperature', 'number'],
  ['topP', 'top_p', 'number'],
  ['frequencyPenalty', 'frequency_penalty', 'number'],
  ['presencePenalty', 'presence_penalty', 'number'],
  ['stream', 'stream', 'boolean'],
  ['effort', 'reasoning_effort', 'string'],
  ['verbosity', 'verbosity', 'string'],
  ['logprobs', 'logprobs', 'boolean'],
  ['store', 'store', 'boolean'],
  ...openAiSettings,
]
const topLogprobsSetting: readonly FieldSetting[] = [['topLogprobs', 'top_logprobs', 'number']]
const streamOptions: readonly FieldSetting[] = [
  ['includeUsage', 'include_usage', 'boolean'],
  ['includeObfuscation', 'include_obfuscation', 'boolean'],
]
const cacheOptions: readonly FieldSetting[] = [
  ['promptCacheMode', 'mode', 'string'],
  ['promptCacheTtl', 'ttl', 'string'],
]

const limitKeys = ['max_completion_tokens', 'max_tokens'] as const

export function decodeSettings(body: JsonObject, fields: FieldReader, left: Leftovers): Settings {
  const settings: Draft<Settings> = {}
  decodeFieldSettings(plainSettings, fields, settings)
  decodeFieldSettings(topLogprobsSetting, fields, settings)
  const limitKey = limitKeys.find(key => typeof own(body, key) === 'number')
  if (limitKey !== undefined) {
    fields.ignore(limitKey)
    const older = limitKey === 'max_tokens' ? { older: true } : {}
    settings.maxOutputTokens = { value: own(body, limitKey) as number, path: [limitKey], ...older }
  }
  decodeStop(body, fields, settings, left)
  decodeInnerSettings(streamOptions, 'stream_options', fields, settings, left)
  decodeInnerSettings(cacheOptions, 'prompt_cache_options', fields, settings, left)
  decodeFormat(body, fields, settings, left)
  return settings
}

function decodeStop(body: JsonObject, fields: FieldReader, settings: Draft<Settings>, left: Leftovers): void {
  const stop = own(body, 'stop')
  if (typeof stop === 'string') {
    settings.stop = { value: [stop], path: ['stop'] }
    left.defaults.push([['stop'], stop])
  } else if (Array.isArray(stop) && stop.every(text => typeof text === 'string')) {
    settings.stop = { value: stop, path: ['stop'] }
  } else return
  fields.ignore('stop')
}

function decodeFormat(
  body: JsonObject,
  fields: FieldReader,
  settings: Draft<Settings>,
  left: Leftovers,
): void {
  const path = ['response_format']
  const given = own(body, 'response_format')
  if (!isObject(given)) return
  const outer = new FieldReader(given)
  const type = outer.string('type')
  if (type === 'text' || type === 'json_object') {
    settings.format = { value: { type }, path }
  } else {
    const held = outer.object('json_schema')
    if (type !== 'json_schema' || held === undefined) return
    const inner = new FieldReader(held)
    settings.format = { value: { type, ...decodeSchemaFormat(inner) }, path }
    append(left.entries, inner.unread(['response_format', 'json_schema']))
  }
  append(left.entries, outer.unread(path))
  fields.ignore('response_format')
}

function decodeSchemaFormat(fields: FieldReader): Omit<OutputFormat & { type: 'json_schema' }, 'type'> {
  return compact({
    name: fields.string('name'),
    description: fields.string('description'),
    schema: fields.value('schema'),
    strict: fields.boolean('strict'),
  })
}

export function encodeSettings(
  settings: Settings,
  isOwn: boolean,
  written: Record<string, unknown>,
  report: Report,
): void {
  const { maxOutputTokens: limit, stop, format } = settings
  const fitting = isOwn ? settings : withChatValues(settings, report)
  if (limit !== undefined) {
    const [current, deprecated] = limitKeys
    written[limit.older === true ? deprecated : current] = limit.value
  }
  encodeFieldSettings(plainSettings, fitting, written)
  encodeTopLogprobs(settings, isOwn, written, report)
  if (stop !== undefined) written.stop = stop.value
  encodeInnerSettings(streamOptions, 'stream_options', settings, written)
  encodeInnerSettings(cacheOptions, 'prompt_cache_options', fitting, written)
  if (format !== undefined) written.response_format = encodeFormat(format.value)
}

/** Some values of shared settings are not Chat's. */
function withChatValues(settings: Settings, report: Report): Settings {
  const { serviceTier, promptCacheTtl, ...rest } = settings
  const fitting: Draft<Settings> = rest
  if (serviceTier?.value === 'ultrafast') {
    report('field_dropped', serviceTier.path, 'Chat has no service tier "ultrafast"; "fast" is the nearest.')
    fitting.serviceTier = { ...serviceTier, value: 'fast' }
  } else if (serviceTier !== undefined) fitting.serviceTier = serviceTier
  if (promptCacheTtl?.value === openaiCacheMark.lifetimes.long) {
    report('hint_dropped', promptCacheTtl.path, 'Chat keeps prompts for 30 minutes; it was left out.')
  } else if (promptCacheTtl !== undefined) fitting.promptCacheTtl = promptCacheTtl
  return fitting
}

/** On other wires `top_logprobs` without `logprobs` has no effect; Chat refuses it. */
function encodeTopLogprobs(
  settings: Settings,
  isOwn: boolean,
  written: Record<string, unknown>,
  report: Report,
): void {
  const { logprobs, topLogprobs } = settings
  if (isOwn || logprobs?.value === true) encodeFieldSettings(topLogprobsSetting, settings, written)
  else if (topLogprobs !== undefined && topLogprobs.value !== 0) {
    report('hint_dropped', topLogprobs.path, 'No logprobs were asked for, so their number was left out.')
  }
}

function encodeFormat(format: OutputFormat): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type }
  const { type, name, description, schema, strict } = format
  return { type, json_schema: compact({ name, description, schema, strict }) }
}
