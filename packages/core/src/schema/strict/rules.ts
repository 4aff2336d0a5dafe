/**
 * What the providers' strict modes take, as data: the schema that constrains what a model can write may use
 * only these keywords, and every object in it has to be closed.
 */
import { compilePattern } from '../pattern/pattern.ts'

export interface StrictLimits {
  readonly properties: number
  readonly depth: number
  /** Names of properties and definitions plus enum and const values, in characters. */
  readonly characters: number
  readonly enumValues: number
  /** Above `largeEnum` values, the strings of one enum may have this many characters. */
  readonly largeEnum: number
  readonly largeEnumCharacters: number
}

export interface StrictRules {
  /** Whether every property must be listed as required, so that an optional one has to become nullable. */
  readonly allRequired: boolean
  /** Keywords that may stand beside the structural ones. */
  readonly keywords: ReadonlySet<string>
  readonly formats: ReadonlySet<string>
  /** Values that a keyword may have, where not all of them are taken. */
  readonly values: ReadonlyMap<string, (value: unknown) => boolean>
  readonly recursion: boolean
  readonly limits: StrictLimits
}

const commonFormats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']

/** OpenAI's strict function tools and structured outputs. */
export const openaiStrictRules: StrictRules = {
  allRequired: true,
  keywords: new Set([
    'title',
    'description',
    'pattern',
    'format',
    'multipleOf',
    'maximum',
    'exclusiveMaximum',
    'minimum',
    'exclusiveMinimum',
    'minItems',
    'maxItems',
    // Not in the published list, yet in the provider's own strict examples, and accepted.
    'minLength',
    'maxLength',
  ]),
  formats: new Set(commonFormats),
  values: new Map([['pattern', isPlainPattern]]),
  recursion: true,
  limits: {
    properties: 5000,
    depth: 10,
    characters: 120_000,
    enumValues: 1000,
    largeEnum: 250,
    largeEnumCharacters: 15_000,
  },
}

/** Anthropic's strict tools: optional stays optional, but no ranges, no lengths and no recursion. */
export const messagesStrictRules: StrictRules = {
  allRequired: false,
  keywords: new Set(['title', 'description', 'default', 'format', 'minItems']),
  formats: new Set([...commonFormats, 'uri']),
  values: new Map([['minItems', (value: unknown) => value === 0 || value === 1]]),
  recursion: false,
  limits: {
    properties: Number.POSITIVE_INFINITY,
    depth: Number.POSITIVE_INFINITY,
    characters: Number.POSITIVE_INFINITY,
    enumValues: Number.POSITIVE_INFINITY,
    largeEnum: Number.POSITIVE_INFINITY,
    largeEnumCharacters: Number.POSITIVE_INFINITY,
  },
}

/** Look-around, back-references and broken expressions are refused by the server. */
function isPlainPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const compiled = compilePattern(value)
  return (
    compiled.kind === 'matcher' || (compiled.kind === 'unsupported' && compiled.reason.startsWith('it needs'))
  )
}

/** Whether the keyword may stay as it is. */
export function isAllowed(keyword: string, value: unknown, rules: StrictRules): boolean {
  if (!rules.keywords.has(keyword)) return false
  if (keyword === 'format') return typeof value === 'string' && rules.formats.has(value)
  return rules.values.get(keyword)?.(value) ?? true
}

/** The keywords that carry the shape; how each may be used is checked one by one. */
export const structure: ReadonlySet<string> = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
])

/** Strict mode lists no objects and no arrays. */
export function hasPlainValues(keyword: 'enum' | 'const', value: unknown): boolean {
  const values = keyword === 'const' ? [value] : value
  return Array.isArray(values) && values.length > 0 && values.every(isScalar)
}

function isScalar(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && value !== undefined)
}

/** `#`, `#/$defs/x` and `#/definitions/x` are the references that strict mode is known to follow. */
export function isPlainRef(ref: string): boolean {
  return ref === '#' || /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref)
}
