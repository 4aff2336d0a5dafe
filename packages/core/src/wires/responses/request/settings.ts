/** The parameters of a request. Some are fields of `reasoning`, `text` and `include`, beside others that only this wire has. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own } from '../../../json/object.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { OutputFormat, Settings, SettingUpdate } from '../../../model/request.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { openaiCacheMark } from '../../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import type { FieldSetting } from '../../kit/plain-settings.ts'
import {
  decodeFieldSettings,
  decodeInnerSettings,
  encodeFieldSettings,
  encodeInnerSettings,
  openAiSettings,
  openObject,
} from '../../kit/plain-settings.ts'
import type { Leftovers } from '../../kit/residue.ts'

const logprobsInclude = 'message.output_text.logprobs'
const sealedInclude = 'reasoning.encrypted_content'

export interface DecodedSettings extends Leftovers {
  readonly settings: Settings
}

/** Parameters whose value is the same in the model, in the order of keys they are written in. */
const firstSettings: readonly FieldSetting[] = [
  ['maxOutputTokens', 'max_output_tokens', 'number'],
  ['temperature', 'temperature', 'number'],
  ['topP', 'top_p', 'number'],
  ['frequencyPenalty', 'frequency_penalty', 'number'],
  ['presencePenalty', 'presence_penalty', 'number'],
]
const middleSettings: readonly FieldSetting[] = [
  ['topLogprobs', 'top_logprobs', 'number'],
  ['store', 'store', 'boolean'],
]
const lastSettings: readonly FieldSetting[] = [['stream', 'stream', 'boolean'], ...openAiSettings]
const reasoningSettings: readonly FieldSetting[] = [['effort', 'effort', 'string']]
const streamOptions: readonly FieldSetting[] = [['includeObfuscation', 'include_obfuscation', 'boolean']]
const cacheOptions: readonly FieldSetting[] = [
  ['promptCacheMode', 'mode', 'string'],
  ['promptCacheTtl', 'ttl', Object.values(openaiCacheMark.lifetimes)],
]

export function decodeSettings(fields: FieldReader): DecodedSettings {
  const settings: Draft<Settings> = {}
  const left: Leftovers = { entries: [], defaults: [] }
  decodeFieldSettings(firstSettings, fields, settings)
  decodeFieldSettings(middleSettings, fields, settings)
  decodeFieldSettings(lastSettings, fields, settings)
  decodeInnerSettings(reasoningSettings, 'reasoning', fields, settings, left)
  decodeInnerSettings(streamOptions, 'stream_options', fields, settings, left)
  decodeInnerSettings(cacheOptions, 'prompt_cache_options', fields, settings, left)
  decodeText(fields, settings, left)
  decodeInclude(fields.list('include'), settings, left)
  return { settings, ...left }
}

/** The settings that a `configuration_update` changes, and what else it holds. */
export interface ConfigurationUpdate {
  readonly settings: Settings
  readonly entries: readonly ResidueEntry[]
}

export function decodeUpdate(item: JsonObject, path: Path): ConfigurationUpdate {
  const fields = new FieldReader(item)
  fields.ignore('type')
  const settings: Draft<Settings> = {}
  const reasoning = new FieldReader(fields.object('reasoning') ?? {})
  const effort = reasoning.string('effort')
  if (effort !== undefined) settings.effort = { value: effort, path: [...path, 'reasoning', 'effort'] }
  const text = new FieldReader(fields.object('text') ?? {})
  const format = decodeFormat(text.object('format'), ['text', 'format'])
  if (format.value !== undefined) {
    settings.format = { value: format.value, path: [...path, 'text', 'format'] }
  }
  const entries = [...fields.unread(), ...reasoning.unread(['reasoning']), ...text.unread(['text'])]
  return { settings, entries: [...entries, ...format.entries] }
}

/** Settings that items of the input change. */
export function decodeUpdates(input: unknown): SettingUpdate[] | undefined {
  if (!Array.isArray(input)) return undefined
  const updates: SettingUpdate[] = []
  input.forEach((item: unknown, i) => {
    if (isObject(item) && own(item, 'type') === 'configuration_update') {
      updates.push({ settings: decodeUpdate(item, ['input', i]).settings })
    }
  })
  return updates.length === 0 ? undefined : updates
}

function decodeText(outer: FieldReader, settings: Draft<Settings>, left: Leftovers): void {
  const fields = openObject(outer, 'text', left)
  if (fields === undefined) return
  const format = decodeFormat(fields.object('format'), ['text', 'format'])
  if (format.value !== undefined) settings.format = { value: format.value, path: ['text', 'format'] }
  const verbosity = fields.string('verbosity')
  if (verbosity !== undefined) settings.verbosity = { value: verbosity, path: ['text', 'verbosity'] }
  append(left.entries, fields.unread(['text']))
  append(left.entries, format.entries)
}

function decodeFormat(
  format: JsonObject | undefined,
  path: Path,
): { value?: OutputFormat; entries: ResidueEntry[] } {
  if (format === undefined) return { entries: [] }
  const fields = new FieldReader(format)
  const type = fields.string('type')
  if (type === 'text' || type === 'json_object') return { value: { type }, entries: fields.unread(path) }
  if (type !== 'json_schema') return { entries: [[path, format]] }
  const said = compact({
    name: fields.string('name'),
    schema: fields.value('schema'),
    strict: fields.boolean('strict'),
    description: fields.string('description'),
  })
  return { value: { type, ...said }, entries: fields.unread(path) }
}

/** Only the logprobs have an equivalent on other wires. The complete list is restored last, in its order. */
function decodeInclude(
  list: readonly unknown[] | undefined,
  settings: Draft<Settings>,
  left: Leftovers,
): void {
  if (list === undefined) return
  const index = list.indexOf(logprobsInclude)
  if (index >= 0) settings.logprobs = { value: true, path: ['include', index] }
  list.forEach((value, i) => {
    if (i !== index) left.entries.push([['include', i], value])
  })
  left.defaults.push([['include'], list])
}

/** Writes the settings over a body that already holds its residue. */
export function encodeSettings(
  settings: Settings,
  body: Record<string, unknown>,
  isOwn: boolean,
  report: Report,
): void {
  const { format, verbosity } = settings
  const said = format && encodeFormat(format.value, body, isOwn)
  encodeFieldSettings(firstSettings, settings, body)
  encodeInnerSettings(reasoningSettings, 'reasoning', settings, body)
  if (format !== undefined || verbosity !== undefined) {
    body.text = { ...inner(body, 'text'), ...compact({ format: said, verbosity: verbosity?.value }) }
  }
  const include = encodeInclude(own(body, 'include'), settings)
  if (include !== undefined) body.include = include
  encodeFieldSettings(middleSettings, settings, body)
  // If left out, the server would store the response, which other wires do not.
  if (settings.store === undefined && !isOwn) body.store = false
  encodeFieldSettings(lastSettings, settings, body)
  encodeInnerSettings(streamOptions, 'stream_options', settings, body)
  encodeInnerSettings(cacheOptions, 'prompt_cache_options', settings, body)
  reportUnsaid(settings, report)
}

function inner(body: JsonObject, key: string): JsonObject {
  const value = own(body, key)
  return isObject(value) ? value : {}
}

/** A schema needs a name here, which is optional on other wires. */
function encodeFormat(format: OutputFormat, body: JsonObject, isOwn: boolean): JsonObject {
  const left = inner(inner(body, 'text'), 'format')
  if (format.type !== 'json_schema') return { type: format.type, ...left }
  const { type, name, schema, strict, description } = format
  return {
    ...compact({ type, name: name ?? (isOwn ? undefined : 'response'), schema, strict, description }),
    ...left,
  }
}

function encodeInclude(left: unknown, { logprobs, includeSealed }: Settings): unknown {
  const kept: readonly unknown[] = Array.isArray(left)
    ? left.filter(word => word !== logprobsInclude || logprobs?.value === true)
    : []
  const words = [includeSealed?.value && sealedInclude, logprobs?.value && logprobsInclude]
  const added = words.filter(word => typeof word === 'string' && !kept.includes(word))
  return Array.isArray(left) || added.length > 0 ? [...kept, ...added] : left
}

function reportUnsaid({ stop, includeUsage }: Settings, report: Report): void {
  if (stop !== undefined) {
    report('field_dropped', stop.path, 'Responses has no stop sequences; they were left out.')
  }
  if (includeUsage !== undefined) {
    report('hint_dropped', includeUsage.path, 'A Responses stream always ends with its usage.')
  }
}
