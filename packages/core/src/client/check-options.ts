/** Options are code, so a wrong one is thrown at once, with what it could have been. */

import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import { show } from '../json/text.ts'

export function checkSend(send: unknown): void {
  if (typeof send !== 'function')
    throw new TypeError(`"send" must be a function that sends a request's body; got ${show(send)}.`)
}

/** The caller's body, as JSON has it. */
export function checkRequest(request: unknown): JsonObject {
  if (isObject(request)) return request
  throw new TypeError(`"request" must be a request's body, an object; got ${show(request)}.`)
}
