/** The fields of a form for the arguments of a tool, made from its schema. */

export interface FormField {
  readonly name: string
  readonly label: string
  readonly about: string
  readonly isRequired: boolean
  readonly input: 'text' | 'number' | 'checkbox' | 'choice' | 'json'
  readonly choices: readonly string[]
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
    } = (property ?? {}) as {
      type?: string | string[]
      description?: string
      enum?: unknown[]
      title?: string
    }
    const kind = Array.isArray(type) ? type.find(each => each !== 'null') : type
    return {
      name,
      label: title ?? name,
      about: description,
      isRequired: required.includes(name),
      input: values !== undefined ? 'choice' : (inputs[kind ?? ''] ?? 'json'),
      choices: (values ?? []).map(String),
    }
  })
}

const inputs: { readonly [type: string]: FormField['input'] } = {
  string: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'checkbox',
}

/** What was filled in, as arguments; what was left empty is left out. Throws where JSON is not JSON. */
export function formArguments(
  fields: readonly FormField[],
  filled: Readonly<Record<string, string | boolean>>,
): Record<string, unknown> {
  const args: Record<string, unknown> = {}
  for (const { name, input } of fields) {
    const value = filled[name]
    if (value === undefined || value === '') continue
    args[name] =
      typeof value === 'boolean'
        ? value
        : input === 'number'
          ? Number(value)
          : input === 'json'
            ? JSON.parse(value)
            : value
  }
  return args
}
