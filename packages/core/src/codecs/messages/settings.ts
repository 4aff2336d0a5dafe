/** Parameters. Those that only this wire has stay in the request's residue. */
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { OutputFormat, Setting, SettingName, Settings } from '../../model/request.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import type { FieldReader } from '../field-reader.ts'
import { createFieldReader } from '../field-reader.ts'
import { readNumber } from './leftovers.ts'

const toTier: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'default'],
])
const fromTier: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['default', 'standard_only'],
])

export interface ReadSettings {
  readonly settings: Settings
  readonly entries: readonly ResidueEntry[]
  readonly quiet: readonly ResidueEntry[]
}

export function decodeSettings(body: JsonObject, fields: FieldReader): ReadSettings {
  const at = <T>(value: T | undefined, ...path: string[]): Setting<T> | undefined =>
    value === undefined ? undefined : { value, path }
  const tier = toTier.get(own(body, 'service_tier'))
  if (tier !== undefined) fields.skip('service_tier')
  const config = openObject(fields, 'output_config')
  const metadata = openObject(fields, 'metadata')
  const effort = readEffort(own(body, 'output_config'), config.fields)
  const format = readFormat(own(body, 'output_config'), config.fields)
  const silent = effort === undefined && isDisabled(own(body, 'thinking'))
  if (silent) fields.skip('thinking')
  const settings = compact({
    maxOutputTokens: at(readNumber(fields, body, 'max_tokens'), 'max_tokens'),
    temperature: at(readNumber(fields, body, 'temperature'), 'temperature'),
    topP: at(readNumber(fields, body, 'top_p'), 'top_p'),
    stop: at(readStrings(fields, body, 'stop_sequences'), 'stop_sequences'),
    stream: at(fields.boolean('stream'), 'stream'),
    effort: silent ? at('none', 'thinking') : at(effort, 'output_config', 'effort'),
    format: at(format.value, 'output_config', 'format'),
    serviceTier: at(tier, 'service_tier'),
    user: at(metadata.fields?.string('user_id'), 'metadata', 'user_id'),
  })
  return {
    settings,
    entries: [...config.rest(), ...format.rest, ...metadata.rest()],
    quiet: [...config.quiet, ...metadata.quiet],
  }
}

interface OpenObject {
  readonly fields?: FieldReader
  rest(): ResidueEntry[]
  readonly quiet: ResidueEntry[]
}

/** An object whose fields are settings; an empty one is remembered, for nothing else would bring it back. */
function openObject(outer: FieldReader, key: string): OpenObject {
  const object = outer.object(key)
  if (object === undefined) return { rest: () => [], quiet: [] }
  const fields = createFieldReader(object)
  const quiet: ResidueEntry[] = Object.keys(object).length === 0 ? [[[key], object]] : []
  return { fields, rest: () => fields.rest([key]), quiet }
}

/** Efforts of other wires, which this one says otherwise, are no settings of this one. */
function readEffort(config: unknown, fields: FieldReader | undefined): string | undefined {
  const effort = isObject(config) ? own(config, 'effort') : undefined
  return effort === 'none' || effort === 'minimal' ? undefined : fields?.string('effort')
}

function isDisabled(thinking: unknown): boolean {
  return isObject(thinking) && own(thinking, 'type') === 'disabled' && Object.keys(thinking).length === 1
}

function readStrings(fields: FieldReader, body: JsonObject, key: string): readonly string[] | undefined {
  const value = own(body, key)
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string')) return undefined
  fields.skip(key)
  return value
}

function readFormat(
  config: unknown,
  fields: FieldReader | undefined,
): { value?: OutputFormat; rest: ResidueEntry[] } {
  const format = isObject(config) ? own(config, 'format') : undefined
  if (!isObject(format) || own(format, 'type') !== 'json_schema') return { rest: [] }
  fields?.skip('format')
  const inner = createFieldReader(format)
  inner.skip('type')
  const schema = inner.value('schema')
  return {
    value: { type: 'json_schema', ...(schema !== undefined && { schema }) },
    rest: inner.rest(['output_config', 'format']),
  }
}

export function encodeSettings(settings: Settings, report: Report): JsonObject {
  const { effort, user, safetyIdentifier } = settings
  const config = compact({
    effort: writeEffort(effort, report),
    format: writeFormat(settings.format, report),
  })
  const userId = user ?? safetyIdentifier
  reportUnsaid(settings, report)
  return compact({
    max_tokens: settings.maxOutputTokens?.value,
    temperature: settings.temperature?.value,
    top_p: settings.topP?.value,
    stop_sequences: settings.stop?.value,
    stream: settings.stream?.value,
    thinking: effort?.value === 'none' ? { type: 'disabled' } : undefined,
    output_config: Object.keys(config).length === 0 ? undefined : config,
    service_tier: writeTier(settings.serviceTier, report),
    metadata: userId && { user_id: userId.value },
  })
}

function writeEffort(effort: Setting<string> | undefined, report: Report): string | undefined {
  if (effort === undefined || effort.value === 'none') return undefined
  if (effort.value !== 'minimal') return effort.value
  report('field_dropped', effort.path, 'Messages has no effort "minimal"; "low" is the nearest.')
  return 'low'
}

function writeFormat(format: Setting<OutputFormat> | undefined, report: Report): JsonObject | undefined {
  if (format === undefined || format.value.type === 'text') return undefined
  if (format.value.type !== 'json_schema') {
    report(
      'field_dropped',
      format.path,
      'Messages answers in JSON only by a schema; the format was left out.',
    )
    return undefined
  }
  const { type, schema, ...rest } = format.value
  const unsaid = Object.entries(rest).filter(([key, value]) => key !== 'strict' || value === false)
  if (unsaid.length > 0) {
    const names = unsaid.map(([key]) => `"${key}"`).join(', ')
    report(
      'field_dropped',
      format.path,
      `Messages has no place for ${names} of the format; only the schema is said.`,
    )
  }
  return compact({ type, schema })
}

function writeTier(tier: Setting<string> | undefined, report: Report): string | undefined {
  if (tier === undefined) return undefined
  const said = fromTier.get(tier.value)
  if (said === undefined) {
    report(
      'field_dropped',
      tier.path,
      `Messages has no service tier ${JSON.stringify(tier.value)}; it was left out.`,
    )
  }
  return said
}

/** Settings without a place here. One that asks for what Messages does anyway is no loss. */
const unsayable: readonly [name: SettingName, code: 'field_dropped' | 'hint_dropped'][] = [
  ['verbosity', 'field_dropped'],
  ['logprobs', 'field_dropped'],
  ['topLogprobs', 'field_dropped'],
  ['store', 'field_dropped'],
  ['metadata', 'field_dropped'],
  ['promptCacheKey', 'hint_dropped'],
  ['promptCacheRetention', 'hint_dropped'],
]

function reportUnsaid(settings: Settings, report: Report): void {
  for (const [name, code] of unsayable) {
    const setting = settings[name]
    if (setting === undefined || isDefault(setting.value)) continue
    report(code, setting.path, `Messages has no place for "${setting.path.join('.')}"; it was left out.`)
  }
  const { user, safetyIdentifier, includeUsage } = settings
  if (includeUsage?.value === false) {
    report('hint_dropped', includeUsage.path, 'On Messages a stream always tells the usage.')
  }
  if (user === undefined || safetyIdentifier === undefined || user.value === safetyIdentifier.value) return
  report(
    'field_dropped',
    safetyIdentifier.path,
    'Messages knows one name for the user; the other one is said.',
  )
}

function isDefault(value: unknown): boolean {
  return value === false || value === 0 || (isObject(value) && Object.keys(value).length === 0)
}
