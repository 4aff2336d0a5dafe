/** Parameters. Those that only this wire has stay in the request's residue. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { append, compact, isObject, own } from '../../../json/object.ts'
import type { CacheBreakpoint } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { OutputFormat, Setting, SettingName, Settings, SettingUpdate } from '../../../model/request.ts'
import type { ResidueEntry } from '../../../model/residue.ts'
import { encodeCacheMark, openaiCacheMark } from '../../kit/conversation/cache-breakpoints.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import type { FieldSetting } from '../../kit/plain-settings.ts'
import {
  decodeFieldSettings,
  decodeInnerSettings,
  encodeFieldSettings,
  openObject,
} from '../../kit/plain-settings.ts'
import type { Leftovers } from '../../kit/residue.ts'
import { takeDefault } from '../../kit/residue.ts'
import { messagesCacheMark } from '../residue.ts'

/** Settings that system messages change, each for the turn of the user's message before it. */
export function decodeUpdates(messages: unknown): SettingUpdate[] | undefined {
  if (!Array.isArray(messages)) return undefined
  const lastTurn = messages.findLastIndex(beginsTurn)
  const updates: SettingUpdate[] = []
  messages.forEach((message: unknown, i) => {
    const settings = decodeUpdate(message, ['messages', i])
    if (settings !== undefined) updates.push(i < lastTurn ? { settings, isPast: true } : { settings })
  })
  return updates.length === 0 ? undefined : updates
}

/** A message of the user that is not only the results of calls. */
function beginsTurn(message: unknown): boolean {
  if (!isObject(message) || own(message, 'role') !== 'user') return false
  const content = own(message, 'content')
  return (
    !Array.isArray(content) || content.some(block => !isObject(block) || own(block, 'type') !== 'tool_result')
  )
}

/** The effort that a system message sets, if it is all that the message sets. */
export function decodeUpdate(message: unknown, root: Path): Settings | undefined {
  const isSystem = isObject(message) && own(message, 'role') === 'system'
  const config = isSystem ? own(message, 'output_config') : undefined
  if (!isObject(config)) return undefined
  const fields = new FieldReader(config)
  const effort = decodeEffort(config, fields)
  if (effort === undefined || fields.unread().length > 0) return undefined
  return { effort: { value: effort, path: [...root, 'output_config', 'effort'] } }
}

const toTier: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['standard_only', 'default'],
])
const fromTier: ReadonlyMap<string, string> = new Map([
  ['auto', 'auto'],
  ['default', 'standard_only'],
])

/** Parameters whose value is the same in the model. */
const plainSettings: readonly FieldSetting[] = [
  ['maxOutputTokens', 'max_tokens', 'number'],
  ['temperature', 'temperature', 'number'],
  ['topP', 'top_p', 'number'],
]
const metadataSettings: readonly FieldSetting[] = [['user', 'user_id', 'string']]

export function decodeSettings(body: JsonObject, fields: FieldReader, left: Leftovers): Settings {
  const settings: Draft<Settings> = {}
  decodeFieldSettings(plainSettings, fields, settings)
  const stop = decodeStrings(fields, body, 'stop_sequences')
  if (stop !== undefined) settings.stop = { value: stop, path: ['stop_sequences'] }
  const stream = fields.boolean('stream')
  if (stream !== undefined) settings.stream = { value: stream, path: ['stream'] }
  decodeConfig(body, fields, settings, left)
  if (settings.format === undefined) decodeOlderFormat(body, fields, settings, left)
  if (settings.effort === undefined && isDisabled(own(body, 'thinking'))) {
    fields.ignore('thinking')
    settings.effort = { value: 'none', path: ['thinking'] }
  }
  const effort = settings.effort ?? budgetEffort(own(body, 'thinking'))
  if (effort !== undefined) settings.effort = effort
  decodeTier(body, fields, settings, left)
  decodeInnerSettings(metadataSettings, 'metadata', fields, settings, left)
  return settings
}

/** What is fast here is a tier on other wires. */
function decodeTier(body: JsonObject, fields: FieldReader, settings: Draft<Settings>, left: Leftovers): void {
  takeDefault(fields, 'speed', 'standard', left.defaults)
  if (fields.is('speed', 'fast')) {
    settings.serviceTier = { value: 'fast', path: ['speed'] }
    takeDefault(fields, 'service_tier', 'auto', left.defaults)
    return
  }
  const tier = toTier.get(own(body, 'service_tier'))
  if (tier === undefined) return
  fields.ignore('service_tier')
  settings.serviceTier = { value: tier, path: ['service_tier'] }
}

function decodeConfig(
  body: JsonObject,
  outer: FieldReader,
  settings: Draft<Settings>,
  left: Leftovers,
): void {
  const fields = openObject(outer, 'output_config', left)
  if (fields === undefined) return
  const config = own(body, 'output_config')
  const effort = decodeEffort(config, fields)
  if (effort !== undefined) settings.effort = { value: effort, path: ['output_config', 'effort'] }
  const format = decodeFormat(isObject(config) ? own(config, 'format') : undefined, formatPath)
  if (format.value !== undefined) {
    fields.ignore('format')
    settings.format = { value: format.value, path: formatPath }
  }
  append(left.entries, fields.unread(['output_config']))
  append(left.entries, format.rest)
}

/** Efforts that only other wires have stay in the residue. */
function decodeEffort(config: unknown, fields: FieldReader): string | undefined {
  const effort = isObject(config) ? own(config, 'effort') : undefined
  return effort === 'none' || effort === 'minimal' ? undefined : fields.string('effort')
}

/** The tokens for thinking as other wires say it. This wire itself is sent its own words for it, as residue. */
function budgetEffort(thinking: unknown): Setting<string> | undefined {
  const budget = isObject(thinking) ? own(thinking, 'budget_tokens') : undefined
  if (typeof budget !== 'number') return undefined
  const value = budget < 4096 ? 'low' : budget < 16_384 ? 'medium' : 'high'
  return { value, path: budgetPath }
}

const budgetPath: Path = ['thinking', 'budget_tokens']

function isDisabled(thinking: unknown): boolean {
  return isObject(thinking) && own(thinking, 'type') === 'disabled' && Object.keys(thinking).length === 1
}

function decodeStrings(fields: FieldReader, body: JsonObject, key: string): readonly string[] | undefined {
  const value = own(body, key)
  if (!Array.isArray(value) || !value.every(item => typeof item === 'string')) return undefined
  fields.ignore(key)
  return value
}

const formatPath: Path = ['output_config', 'format']
/** Where it stood in the beta. There it also stays on this wire. */
const olderFormatPath: Path = ['output_format']

function decodeFormat(format: unknown, path: Path): { value?: OutputFormat; rest: readonly ResidueEntry[] } {
  if (!isObject(format) || own(format, 'type') !== 'json_schema') return { rest: [] }
  const inner = new FieldReader(format)
  inner.ignore('type')
  const schema = inner.value('schema')
  return {
    value: { type: 'json_schema', ...(schema !== undefined && { schema }) },
    rest: inner.unread(path),
  }
}

function decodeOlderFormat(
  body: JsonObject,
  fields: FieldReader,
  settings: Draft<Settings>,
  left: Leftovers,
): void {
  const { value, rest } = decodeFormat(own(body, 'output_format'), olderFormatPath)
  if (value === undefined) return
  fields.ignore('output_format')
  append(left.entries, rest)
  settings.format = { value, path: olderFormatPath }
}

/** Writes the settings into a body. */
export function encodeSettings(settings: Settings, body: Record<string, unknown>, report: Report): void {
  const { effort, user, safetyIdentifier } = settings
  const saidEffort = encodeEffort(effort, report)
  const saidFormat = encodeFormat(settings.format, report)
  reportUnsaid(settings, report)
  encodeFieldSettings(plainSettings, settings, body)
  if (settings.stop !== undefined) body.stop_sequences = settings.stop.value
  if (settings.stream !== undefined) body.stream = settings.stream.value
  if (effort?.value === 'none') body.thinking = { type: 'disabled' }
  const isOlder = settings.format?.path === olderFormatPath
  const config = compact({ effort: saidEffort, format: isOlder ? undefined : saidFormat })
  if (Object.keys(config).length > 0) body.output_config = config
  if (isOlder) body.output_format = saidFormat
  encodeTier(settings.serviceTier, body, report)
  encodeCache(settings, body, report)
  const userId = user ?? safetyIdentifier
  if (userId !== undefined) body.metadata = { user_id: userId.value }
}

function encodeEffort(effort: Setting<string> | undefined, report: Report): string | undefined {
  if (effort === undefined || effort.value === 'none' || effort.path === budgetPath) return undefined
  if (effort.value !== 'minimal') return effort.value
  report('field_dropped', effort.path, 'Messages has no effort "minimal"; "low" is the nearest.')
  return 'low'
}

function encodeFormat(format: Setting<OutputFormat> | undefined, report: Report): JsonObject | undefined {
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

/** Explicit breakpoints are what this wire has; an implicit one is set on request. */
function encodeCache(
  { promptCacheMode: mode, promptCacheTtl: ttl }: Settings,
  body: Record<string, unknown>,
  report: Report,
): void {
  const isImplicit = mode?.value === 'implicit'
  const { short, long } = openaiCacheMark.lifetimes
  const cache: Draft<CacheBreakpoint> = { path: [] }
  if (ttl?.value === long) cache.lifetime = 'long'
  else if (ttl?.value === short) cache.lifetime = 'short'
  if (isImplicit) Object.assign(body, encodeCacheMark({ cache }, messagesCacheMark))
  if (mode !== undefined && mode.value !== 'explicit' && !isImplicit) reportHint(mode, report)
  if (ttl !== undefined && !(isImplicit && cache.lifetime)) reportHint(ttl, report)
}

function reportHint({ path }: Setting<string>, report: Report): void {
  report('hint_dropped', path, `Messages has no place for "${path.join('.')}"; it was left out.`)
}

/** The tiers that are faster than the usual one are the same here. */
const fastTiers: ReadonlySet<string> = new Set(['fast', 'priority', 'ultrafast'])

function encodeTier(tier: Setting<string> | undefined, body: Record<string, unknown>, report: Report): void {
  if (tier === undefined) return
  const said = fromTier.get(tier.value)
  if (said !== undefined) body.service_tier = said
  else if (fastTiers.has(tier.value)) body.speed = 'fast'
  if (said !== undefined || tier.value === 'fast' || tier.value === 'priority') return
  const outcome = body.speed === 'fast' ? '"fast" is the nearest' : 'it was left out'
  const message = `Messages has no service tier ${JSON.stringify(tier.value)}; ${outcome}.`
  report('field_dropped', tier.path, message)
}

/** Settings that Messages has no field for. Dropping one that asks for its default behaviour is only a hint. */
const unsayable: readonly [name: SettingName, code: 'field_dropped' | 'hint_dropped'][] = [
  ['verbosity', 'hint_dropped'],
  ['logprobs', 'field_dropped'],
  ['topLogprobs', 'field_dropped'],
  ['store', 'field_dropped'],
  ['metadata', 'hint_dropped'],
  ['moderation', 'field_dropped'],
  ['promptCacheKey', 'hint_dropped'],
  ['promptCacheRetention', 'hint_dropped'],
  ['includeObfuscation', 'hint_dropped'],
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
