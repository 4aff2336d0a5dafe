/** The fields of a form for the arguments of a tool, made from its schema. */

export interface FormField {
  readonly name: string
  readonly label: string
  readonly about: string
  readonly isRequired: boolean
  readonly input: 'text' | 'number' | 'checkbox' | 'choice' | 'json'
  readonly choices: readonly unknown[]
  /** What stands in it before anybody has filled it in. */
  readonly initial: string | boolean
}

export function formFields(schema: unknown): FormField[] {
  const { properties = {}, required = [] } = (schema ?? {}) as {
    properties?: Record<string, unknown>
    required?: string[]
  }
  return Object.entries(properties).map(([name, property]) => {
    const {
      type,
      description = '',
      enum: values,
      title,
      default: given,
    } = (property ?? {}) as {
      type?: string | string[]
      description?: string
      enum?: unknown[]
      title?: string
      default?: unknown
    }
    const kind = Array.isArray(type) ? type.find(each => each !== 'null') : type
    const input = values !== undefined ? 'choice' : (inputs[kind ?? ''] ?? 'json')
    return {
      name,
      label: title ?? name,
      about: description,
      isRequired: required.includes(name),
      input,
      choices: values ?? [],
      initial: initialOf(input, given),
    }
  })
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

/** What the schema fills in. */
export function initialArguments(fields: readonly FormField[]): Record<string, string | boolean> {
  const given = fields.filter(({ initial }) => initial !== '' && initial !== false)
  return Object.fromEntries(given.map(({ name, initial }) => [name, initial]))
}

/** What was filled in, as arguments; what was left empty is left out. Throws where JSON is not JSON. */
export function formArguments(
  fields: readonly FormField[],
  filled: Readonly<Record<string, string | boolean>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const { name, input, choices } of fields) {
    const value = filled[name]
    if (value === undefined || value === '') continue
    args[name] =
      typeof value === 'boolean'
        ? value
        : input === 'number'
          ? Number(value)
          : input === 'json'
            ? JSON.parse(value)
            : input === 'choice'
              ? choices.find(choice => String(choice) === value)
              : value
  }
  return args
}
