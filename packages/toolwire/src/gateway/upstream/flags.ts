/** Flags that switch features on: one that an upstream does not know is left out with the fields that belong to it. */
import type { Diagnostic, WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
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

/** The request without these fields, and what to tell of those that it had. */
export function withoutFields(
  body: JsonObject,
  fields: readonly string[],
): { readonly body: JsonObject; readonly told: readonly Diagnostic[] } {
  const had = fields.length === 0 ? fields : fields.filter(field => Object.hasOwn(body, field))
  if (had.length === 0) return { body, told: [] }
  return {
    body: Object.fromEntries(Object.entries(body).filter(([key]) => !had.includes(key))),
    told: had.map(field => ({
      code: 'field_dropped',
      severity: 'warning',
      path: [field],
      message: `The upstream does not know the flag to which "${field}" belongs; both were left out.`,
    })),
  }
}
