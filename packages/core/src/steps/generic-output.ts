/** The output schema for steps whose author wants none of their own: one text, in a form that strict mode takes. */

export interface GenericOutput {
  readonly type: 'object'
  readonly properties: { readonly result: { readonly type: 'string' } }
  readonly required: readonly ['result']
  readonly additionalProperties: false
}

/** Asked for by name, so that a forgotten schema is an error and not a weak answer. */
export function genericOutput(): GenericOutput {
  return {
    type: 'object',
    properties: { result: { type: 'string' } },
    required: ['result'],
    additionalProperties: false,
  }
}
