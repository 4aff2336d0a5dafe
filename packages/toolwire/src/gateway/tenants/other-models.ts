/** Some hosts choose among further models that a request names, and would answer with one that the key may not use or pay for. */
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'

/** Of OpenRouter and of Anthropic, as of November 2026. */
const fields: readonly string[] = ['models', 'fallbacks']

/** `membersOf`: those of the given names that the request has. */
export function refuseOtherModels(
  { tenant }: RequestContext,
  membersOf: (names: readonly string[]) => readonly string[],
): void {
  if (tenant === undefined) return
  if (!tenant.hasModels && !tenant.limits.some(({ what }) => what === 'money')) return
  const [field] = membersOf(fields)
  if (field === undefined) return
  throw new GatewayError(
    'permission',
    `The models or the budget of the key "${tenant.name}" are limited, and "${field}" lets the upstream choose another model. Leave it out, and name the model in "model".`,
    { param: field, code: 'model_not_allowed' },
  )
}

/** Of a body that was parsed. */
export function membersIn(body: object): (names: readonly string[]) => readonly string[] {
  return names => names.filter(name => Object.hasOwn(body, name))
}
