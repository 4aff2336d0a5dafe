/** The fields of a form for the arguments of a tool, made from its schema. */

export interface FormField {
  readonly name: string
  readonly label: string
  readonly about: string
  readonly isRequired: boolean
  readonly input: 'text' | 'number' | 'checkbox' | 'choice' | 'json'
  readonly choices: readonly unknown[]
  /** What a number or a text must keep to, as an input of a page is told. */
  readonly limits: Readonly<Record<string, string | number>>
  /** What stands in it before anybody has filled it in. */
  readonly initial: string | boolean
}

type Schema = { readonly [key: string]: unknown }

/** The field for all arguments together, where the schema lists no properties. */
const whole = ''

export function formFields(schema: unknown): FormField[] {
  const root = asSchema(schema)
  const { properties, required, additionalProperties } = resolved(root, root)
  const names = Object.entries(asSchema(properties))
  const isRequired = (name: string): boolean => Array.isArray(required) && required.includes(name)
  if (names.length > 0)
    return names.map(([name, property]) => fieldOf(name, property, root, isRequired(name)))
  const isClosed = additionalProperties === false || Object.keys(root).length === 0
  return isClosed ? [] : [{ ...fieldOf(whole, {}, root, false), label: 'Arguments' }]
}

function fieldOf(name: string, property: unknown, root: Schema, isRequired: boolean): FormField {
  const schema = resolved(asSchema(property), root)
  const { type, description, enum: values, title, default: given } = schema
  const choices = Array.isArray(values) ? values : 'const' in schema ? [schema.const] : []
  const kind = Array.isArray(type) ? type.filter(each => each !== 'null') : [type]
  const known = kind.length === 1 ? inputs[String(kind[0])] : undefined
  const input = choices.length > 0 ? 'choice' : (known ?? 'json')
  return {
    name,
    label: typeof title === 'string' ? title : name,
    about: typeof description === 'string' ? description : '',
    isRequired,
    input,
    choices: choices.filter(choice => choice !== null),
    limits: {
      ...limitsOf(schema, input),
      ...(input === 'number' && !kind.includes('integer') && { step: 'any' }),
    },
    initial: initialOf(input, given ?? undefined),
  }
}

function asSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Schema) : {}
}

/** More references in one another lead nowhere. */
const deepest = 10

/**
 * The schema that decides, with the words that stand around it: behind a reference, as the only one of a list, or beside
 * `null`, which stands for what is left out.
 */
function resolved(schema: Schema, root: Schema, depth = 0): Schema {
  const { $ref, allOf, anyOf, oneOf, ...rest } = schema
  const inner = typeof $ref === 'string' ? behind($ref, root) : (only(allOf) ?? only(anyOf) ?? only(oneOf))
  return inner === undefined || depth === deepest
    ? schema
    : { ...resolved(asSchema(inner), root, depth + 1), ...rest }
}

function only(list: unknown): unknown {
  const left = Array.isArray(list) ? list.filter(each => asSchema(each).type !== 'null') : []
  return left.length === 1 ? left[0] : undefined
}

function behind(ref: string, root: Schema): unknown {
  if (!ref.startsWith('#/')) return undefined
  const steps = ref.slice(2).split('/')
  return steps
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>(
      (here, step) => (Object.hasOwn(asSchema(here), step) ? asSchema(here)[step] : undefined),
      root,
    )
}

const limitNames: { readonly [input: string]: { readonly [keyword: string]: string } } = {
  number: { minimum: 'min', maximum: 'max' },
  text: { minLength: 'minLength', maxLength: 'maxLength' },
}

function limitsOf(schema: Schema, input: FormField['input']): FormField['limits'] {
  const found = Object.entries(limitNames[input] ?? {}).flatMap(([keyword, name]) => {
    const value = schema[keyword]
    return typeof value === 'number' ? [[name, value] as const] : []
  })
  return Object.fromEntries(found)
}

function initialOf(input: FormField['input'], given: unknown): string | boolean {
  if (input === 'checkbox') return given === true
  if (given === undefined) return ''
  return input === 'json' ? JSON.stringify(given) : String(given)
}

const inputs: { readonly [type: string]: FormField['input'] } = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'checkbox',
}

/** What the schema fills in. A box that must be there says no until it is ticked. */
export function initialArguments(fields: readonly FormField[]): Record<string, string | boolean> {
  const given = fields.filter(
    ({ initial, isRequired }) => initial !== '' && (initial !== false || isRequired),
  )
  return Object.fromEntries(given.map(({ name, initial }) => [name, initial]))
}

/** What was filled in, as arguments; what was left empty is left out. Throws where JSON is not JSON. */
export function formArguments(
  fields: readonly FormField[],
  filled: Readonly<Record<string, string | boolean>>,
): unknown {
  const args: Record<string, unknown> = {}
  for (const field of fields) {
    const value = filled[field.name]
    if (value === undefined || value === '') continue
    const argument = argumentOf(field, value)
    if (field.name === whole) return argument
    args[field.name] = argument
  }
  return args
}

function argumentOf({ input, label, choices }: FormField, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value
  if (input === 'number') return Number(value)
  if (input === 'choice') return choices.find(choice => String(choice) === value)
  if (input !== 'json') return value
  try {
    return JSON.parse(value)
  } catch {
    throw new Error(`"${label}" takes JSON: a text in quotes, a list as [1, 2], an object as {"a": 1}.`)
  }
}
