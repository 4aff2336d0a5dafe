/**
 * Paths that no wire here has, such as `/v1/embeddings` or `/v1/files`. They pass, unread, to an upstream of the caller's
 * vendor whose settings name them; by default none does.
 */
import type { WireDefinition } from '@toolwire/core'
import { splitPath } from '@toolwire/core/wires'
import type { GatewayRoute, RequestContext } from '../context.ts'
import { GatewayError, shuttingDown } from '../errors.ts'
import { charge } from '../tenants/charge.ts'
import { passBytes } from '../upstream/pass-bytes.ts'
import type { ServedUpstream } from '../upstream/served.ts'
import { ownedPassing, shownPath } from './owned-paths.ts'

export const otherPathsRoute: GatewayRoute = {
  name: 'other-paths',
  method: 'POST',
  path: '/v1/*',
  async handle(context) {
    const { gateway, request, observation } = context
    observation.facts.route = 'unknown'
    const path = pathBelowPrefix(request.target)
    const { tenant } = context
    const upstream =
      path &&
      gateway.upstreams.find(
        each => passes(each, path, context.wire) && tenant?.allowsUpstream(each.name) !== false,
      )
    if (path === undefined || upstream === undefined) throw unknownPath(context)
    if (gateway.draining()) throw shuttingDown()
    if (tenant?.hasModels || tenant?.isMetered) {
      throw new GatewayError(
        'permission',
        `The key "${tenant.name}" is limited in its models, tokens or money, which nobody could see in ${shownPath(context)}.`,
        { code: 'not_metered', status: 403 },
      )
    }
    await charge(context, { upstream, model: '' }, () => 0)
    observation.facts.route = `${request.method} /v1/*`
    const how = gateway.guard.hasSeveralOwners ? await ownedPassing(context, upstream, path) : {}
    await passBytes(context, upstream, `/${path.join('/')}${searchOf(request.target)}`, how)
  },
}

/** The segments behind the version, as the client spelled them; `undefined` if they could be read as another path. */
function pathBelowPrefix(target: string): readonly string[] | undefined {
  const [path = ''] = target.split('?', 1)
  const raw = path.split('/').slice(1)
  const decoded = splitPath(path)
  const isPlain =
    raw.length === decoded.length &&
    decoded.every(segment => !/^\.{0,2}$|[/\\]|\p{Cc}/u.test(segment)) &&
    raw.every(segment => /^[\w.~!$&'()*+,;=:@%-]+$/.test(segment))
  return isPlain && raw[0] === 'v1' && raw.length > 1 ? raw.slice(1) : undefined
}

function searchOf(target: string): string {
  const at = target.indexOf('?')
  return at === -1 ? '' : target.slice(at)
}

function passes(
  { disabled, wire, otherPaths = [] }: ServedUpstream,
  [first = '']: readonly string[],
  client: WireDefinition,
): boolean {
  return (
    disabled === undefined &&
    wire.service.provider === client.service.provider &&
    otherPaths.some(name => name === '*' || name === first)
  )
}

function unknownPath(context: RequestContext): GatewayError {
  return new GatewayError(
    'not_found',
    `There is no ${shownPath(context)} here. GET /openapi.json lists what there is. Other paths below /v1 pass to an upstream that speaks a wire of ${context.wire.service.provider ?? 'the same vendor'} and names them in "otherPaths".`,
    { code: 'unknown_route' },
  )
}
