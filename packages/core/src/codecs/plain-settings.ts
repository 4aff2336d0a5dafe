/** Settings that a wire says in a field each, as they are. */
import type { Draft } from '../model/json.ts'
import type { Setting, SettingName, Settings } from '../model/request.ts'
import type { FieldReader } from './field-reader.ts'

export type PlainSetting = readonly [
  name: SettingName,
  key: string,
  type: 'number' | 'boolean' | 'string' | 'object',
]

export function readPlainSettings(
  table: readonly PlainSetting[],
  fields: FieldReader,
  settings: Draft<Settings>,
): void {
  for (const [name, key, type] of table) {
    const value = fields[type](key)
    // The table pairs each name with the type it is read by.
    if (value !== undefined) (settings as Record<string, Setting<unknown>>)[name] = { value, path: [key] }
  }
}

export function writePlainSettings(
  table: readonly PlainSetting[],
  settings: Settings,
  body: Record<string, unknown>,
): void {
  for (const [name, key] of table) {
    const setting = settings[name]
    if (setting !== undefined) body[key] = setting.value
  }
}
