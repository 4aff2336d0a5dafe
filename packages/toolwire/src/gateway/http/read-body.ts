/** The body of a request, as bytes and as JSON. */
import type { RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { maskSecrets } from '../exchange/run.ts'
import type { JsonObject } from './json-body.ts'
import { parseJsonBody } from './json-body.ts'
import { unlessAborted } from './unless-aborted.ts'

export async function readBytes({
  gateway,
  request,
  observation,
  signal,
}: RequestContext): Promise<Uint8Array> {
  const type = request.headers['content-type'] ?? ''
  // Pages can send forms and plain text anywhere without being asked; JSON they cannot.
  if (type !== 'application/json' && !/^\s*application\/([\w.+-]+\+)?json\b/i.test(type)) {
    throw new GatewayError('invalid_request', 'Send the body as "content-type: application/json".', {
      code: 'unsupported_media_type',
      status: 415,
    })
  }
  const started = gateway.clock.now()
  const bytes = await unlessAborted(signal, request.body(gateway.limits.bodyBytes))
  // Time begins when the request is there: how long a client takes to send it is its own affair.
  observation.facts.startedAt += gateway.clock.now() - started
  if (observation.wantsViews) {
    observation.viewHead('client-request', {
      line: `${request.method} ${request.target}`,
      headers: maskSecrets(request.headers),
    })
    observation.view('client-request', bytes)
  }
  return bytes
}

export async function readJson(context: RequestContext): Promise<JsonObject> {
  return parseJsonBody(await readBytes(context), context.gateway.limits.depth)
}
