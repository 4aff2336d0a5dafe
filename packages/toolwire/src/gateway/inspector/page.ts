/** The files of the inspector, served from memory. */
import type { GatewayRoute, RequestContext } from '../context.ts'
import { GatewayError } from '../errors.ts'
import type { Inspector, PageFile } from './inspector.ts'

const pageName = 'index.html'
/** Nothing from elsewhere, nothing inline; pictures may stand in a conversation. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ')
const pageHeaders = {
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

/** A browser asks for a page; everybody else gets the JSON that was always here. */
export function sendPage(context: RequestContext): boolean {
  const { gateway, request } = context
  const wantsPage = /\btext\/html\b/i.test(request.headers.accept ?? '')
  const file = wantsPage ? gateway.inspector?.file(pageName) : undefined
  if (file === undefined) return false
  sendFile(context, file, 'text/html', pageHeaders)
  return true
}

export function inspectorOf({ gateway }: RequestContext): Inspector {
  if (gateway.inspector === undefined) {
    throw new GatewayError('not_found', 'This gateway serves no inspector.', { code: 'no_inspector' })
  }
  return gateway.inspector
}

function sendFile(
  { request, sink, headers, observation }: RequestContext,
  { bytes, etag }: PageFile,
  type: string,
  more: Readonly<Record<string, string>> = {},
): void {
  const all = { ...headers, etag, 'cache-control': 'no-cache', vary: 'accept', ...more }
  const isKnown = request.headers['if-none-match'] === etag
  observation.facts.status = isKnown ? 304 : 200
  if (isKnown) {
    sink.head(304, all)
    sink.end()
    return
  }
  sink.head(200, { ...all, 'content-type': `${type}; charset=utf-8`, 'content-length': String(bytes.length) })
  sink.end(bytes)
}

const assets = {
  'inspector.js': 'text/javascript',
  'inspector.css': 'text/css',
  'inspector.svg': 'image/svg+xml',
}

export const pageRoutes: readonly GatewayRoute[] = Object.entries(assets).map(([name, type]) => ({
  name: `asset-${name}`,
  method: 'GET',
  path: `/toolwire/${name}`,
  open: true,
  operators: 'also',
  unlimited: true,
  async handle(context) {
    const file = inspectorOf(context).file(name)
    if (file === undefined)
      throw new GatewayError('not_found', `There is no ${name}.`, { code: 'no_inspector' })
    sendFile(context, file, type)
  },
}))
