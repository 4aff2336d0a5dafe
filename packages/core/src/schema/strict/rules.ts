/**
 * What the providers' strict modes support, as data: in strict mode the schema constrains what the model can write,
 * so it may use only these keywords, and every object must be closed.
 */
import { compilePattern } from '../pattern/pattern.ts'

/** How large a schema may be in strict mode. */
export interface StrictLimits {
  readonly properties: number
  readonly depth: number
  /** The total length of property names, definition names, enum values and const values. */
  readonly characters: number
  readonly enumValues: number
  /** An enum with more than `largeEnum` values may have at most this many characters. */
  readonly largeEnum: number
  readonly largeEnumCharacters: number
}

/** The rules of strict mode of a provider, as data. */
export interface StrictRules {
  /** Whether every property must be required, so that optional ones have to become nullable. */
  readonly allRequired: boolean
  /** Allowed keywords besides the structural ones. */
  readonly keywords: ReadonlySet<string>
  readonly formats: ReadonlySet<string>
  /** Tests of the value, for keywords of which only some values are supported. */
  readonly values: ReadonlyMap<string, (value: unknown) => boolean>
  /** Whether the server refuses look-around, back-references and invalid expressions in `pattern`. */
  readonly plainPatterns: boolean
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
    // Not in the published list, but in the provider's own strict examples, and accepted.
    'minLength',
    'maxLength',
  ]),
  formats: new Set(commonFormats),
  values: new Map(),
  plainPatterns: true,
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
  plainPatterns: false,
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

/** Not a test in `values`: a wire has rules, and must not carry a parser of patterns for them. */
function isPlainPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false
  const compiled = compilePattern(value)
  return (
    compiled.kind === 'matcher' || (compiled.kind === 'unsupported' && compiled.reason.startsWith('it needs'))
  )
}

/** Whether strict mode supports the keyword with this value. */
export function isAllowed(keyword: string, value: unknown, rules: StrictRules): boolean {
  if (!rules.keywords.has(keyword)) return false
  if (keyword === 'format') return typeof value === 'string' && rules.formats.has(value)
  if (keyword === 'pattern' && rules.plainPatterns && !isPlainPattern(value)) return false
  return rules.values.get(keyword)?.(value) ?? true
}

/** The keywords that define structure; each has a check of its own. */
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

/** Strict mode allows no objects or arrays in `enum` and `const`. */
export function hasPlainValues(keyword: 'enum' | 'const', value: unknown): boolean {
  const values = keyword === 'const' ? [value] : value
  return Array.isArray(values) && values.length > 0 && values.every(isScalar)
}

function isScalar(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && value !== undefined)
}

/** `#`, `#/$defs/x` and `#/definitions/x` are the only references that strict mode is known to follow. */
export function isPlainRef(ref: string): boolean {
  return ref === '#' || /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref)
}
