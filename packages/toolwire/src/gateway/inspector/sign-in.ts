/** Signing in to the inspector with a key or with the code of a link, and out again. */
import type { GatewayRoute, RequestContext } from '../context.ts'
import { sendJson } from '../context.ts'
import { GatewayError } from '../errors.ts'
import { readJson } from '../http/json-body.ts'
import { inspectorOf } from './page.ts'

async function signIn(context: RequestContext): Promise<void> {
  inspectorOf(context)
  const { gateway, request } = context
  const { key, code } = await readJson(context)
  const owner =
    typeof code === 'string'
      ? await gateway.sessions.takeCode(code)
      : typeof key === 'string'
        ? gateway.guard.ownerOf(key)
        : undefined
  if (owner === undefined) {
    const message =
      typeof code === 'string'
        ? 'This link has been used, or is too old. Sign in with a key.'
        : 'The key is not one of this gateway’s.'
    throw new GatewayError('authentication', message, { code: 'invalid_api_key' })
  }
  sendJson(
    context,
    200,
    { signed_in: true },
    { 'set-cookie': await gateway.sessions.open(owner, request.headers) },
  )
}

async function signOut(context: RequestContext): Promise<void> {
  inspectorOf(context)
  const { gateway, request } = context
  sendJson(
    context,
    200,
    { signed_in: false },
    { 'set-cookie': await gateway.sessions.close(request.headers) },
  )
}

export const sessionRoutes: readonly GatewayRoute[] = [
  {
    name: 'sign-in',
    method: 'POST',
    path: '/toolwire/session',
    open: true,
    operators: 'also',
    unlimited: true,
    // Anybody may send one, so it must not take the memory of others.
    bodyBytes: 4096,
    handle: signIn,
  },
  {
    name: 'sign-out',
    method: 'DELETE',
    path: '/toolwire/session',
    open: true,
    operators: 'also',
    unlimited: true,
    handle: signOut,
  },
]
