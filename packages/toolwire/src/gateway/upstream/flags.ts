/** Flags that switch features on: one that an upstream does not know is left out with the fields that belong to it. */
import type { Diagnostic, Path, Profile, WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { isObject, omit, own } from '@toolwire/core/json'
import type { ClientHeaders } from '../http/headers.ts'
import type { Upstream } from '../settings.ts'

/** The value of the header without the flags that are not known; `undefined` if none is left. */
export function knownFlags(value: string | undefined, known: readonly string[] = []): string | undefined {
  const kept = listed(value).filter(flag => known.includes(flag))
  return kept.length === 0 ? undefined : kept.join(',')
}

function listed(value = ''): readonly string[] {
  return value.split(',').flatMap(flag => flag.trim() || [])
}

/** The fields of a request that belong to flags which the upstream does not know. */
export function gatedFields(
  { flags: known }: Pick<Upstream, 'flags'>,
  { service }: WireDefinition,
  headers: ClientHeaders,
): readonly string[] {
  const { flags } = service.http.requestHeaders
  if (known === undefined || flags === undefined) return []
  const sent = listed(headers[flags.header])
  const fieldsOf = (names: readonly string[]): readonly string[] =>
    names.flatMap(flag =>
      Object.entries(flags.fields).flatMap(([beginning, fields]) =>
        flag.startsWith(beginning) ? fields : [],
      ),
    )
  const kept = new Set(fieldsOf(sent.filter(flag => known.includes(flag))))
  return [...new Set(fieldsOf(sent.filter(flag => !known.includes(flag))))].filter(field => !kept.has(field))
}

/** What holds because the upstream knows no flag of a feature. */
export function factsOfFlags(
  known: readonly string[] | undefined,
  { service }: WireDefinition,
): Partial<Profile> {
  const { flags } = service.http.requestHeaders
  if (known === undefined || flags?.absent === undefined) return {}
  const found: Partial<Profile> = {}
  for (const [beginning, facts] of Object.entries(flags.absent)) {
    if (!known.some(flag => flag.startsWith(beginning))) Object.assign(found, facts)
  }
  return found
}

/** Whether the field stands in the history, of which a large request is read without. */
export function isInHistory(field: string): boolean {
  return field.includes('[]')
}

/** The request without these fields, and what to tell of those that it had. */
export function withoutFields(
  body: JsonObject,
  fields: readonly string[],
): { readonly body: JsonObject; readonly told: readonly Diagnostic[] } {
  const found: (string | number)[][] = []
  let left: unknown = body
  for (const field of fields) left = without(left, field.split('.'), [], found)
  return {
    body: isObject(left) ? left : body,
    told: found.map(path => ({
      code: 'field_dropped',
      severity: 'warning',
      path,
      message: `The upstream does not know the flag to which "${path.at(-1)}" belongs; both were left out.`,
    })),
  }
}

/** What holds nothing but its role afterwards is left out of its list. */
function without(holder: unknown, steps: readonly string[], at: Path, found: (string | number)[][]): unknown {
  const [step, ...rest] = steps
  if (step === undefined || !isObject(holder)) return holder
  const key = step.replace('[]', '')
  const value = own(holder, key)
  if (value === undefined) return holder
  const path = [...at, key]
  if (rest.length === 0) {
    found.push(path)
    return omit(holder, [key])
  }
  if (key === step) {
    const inner = without(value, rest, path, found)
    return inner === value ? holder : { ...holder, [key]: inner }
  }
  if (!Array.isArray(value)) return holder
  const list = value.map((member, i) => without(member, rest, [...path, i], found))
  if (list.every((member, i) => member === value[i])) return holder
  return { ...holder, [key]: list.filter((member, i) => member === value[i] || holdsMore(member)) }
}

function holdsMore(member: unknown): boolean {
  return isObject(member) && Object.keys(member).some(key => key !== 'role')
}
