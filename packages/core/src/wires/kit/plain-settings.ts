/** Settings that are one field each, with the same value as in the model. */

import type { Draft } from '../../json/object.ts'
import { append, isObject, own } from '../../json/object.ts'
import type { Path } from '../../model/diagnostic.ts'
import type { Setting, SettingName, Settings } from '../../model/request.ts'
import { FieldReader } from './field-reader.ts'
import type { Leftovers } from './residue.ts'

export type FieldSetting = readonly [
  name: SettingName,
  key: string,
  /** A list holds the values that other wires have too; any other value stays in the residue. */
  type: 'number' | 'boolean' | 'string' | 'object' | readonly string[],
]

/** Settings that both OpenAI wires have under the same key. */
export const openAiSettings: readonly FieldSetting[] = [
  ['metadata', 'metadata', 'object'],
  ['serviceTier', 'service_tier', 'string'],
  ['safetyIdentifier', 'safety_identifier', 'string'],
  ['promptCacheKey', 'prompt_cache_key', 'string'],
  ['promptCacheRetention', 'prompt_cache_retention', 'string'],
  ['moderation', 'moderation', 'object'],
  ['user', 'user', 'string'],
]

export function decodeFieldSettings(
  table: readonly FieldSetting[],
  fields: FieldReader,
  settings: Draft<Settings>,
  place: Path = [],
): void {
  for (const [name, key, type] of table) {
    const value = typeof type === 'string' ? fields[type](key) : type.find(word => fields.is(key, word))
    if (value === undefined) continue
    // The table pairs each name with the type it is read by.
    ;(settings as Record<string, Setting<unknown>>)[name] = { value, path: [...place, key] }
  }
}

export function encodeFieldSettings(
  table: readonly FieldSetting[],
  settings: Settings,
  body: Record<string, unknown>,
): void {
  for (const [name, key] of table) {
    const setting = settings[name]
    if (setting !== undefined) body[key] = setting.value
  }
}

/** Opens an object whose fields are settings; an empty one is recorded, for nothing else would restore it. */
export function openObject(outer: FieldReader, key: string, left: Leftovers): FieldReader | undefined {
  const object = outer.object(key)
  if (object === undefined) return undefined
  if (Object.keys(object).length === 0) left.defaults.push([[key], {}])
  return new FieldReader(object)
}

/** The same for settings that are fields of an object. */
export function decodeInnerSettings(
  table: readonly FieldSetting[],
  key: string,
  outer: FieldReader,
  settings: Draft<Settings>,
  left: Leftovers,
): void {
  const fields = openObject(outer, key, left)
  if (fields === undefined) return
  decodeFieldSettings(table, fields, settings, [key])
  append(left.entries, fields.unread([key]))
}

export function encodeInnerSettings(
  table: readonly FieldSetting[],
  key: string,
  settings: Settings,
  body: Record<string, unknown>,
): void {
  if (!table.some(([name]) => settings[name] !== undefined)) return
  const before = own(body, key)
  const object: Record<string, unknown> = isObject(before) ? { ...before } : {}
  encodeFieldSettings(table, settings, object)
  body[key] = object
}
