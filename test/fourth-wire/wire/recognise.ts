/** How sure this wire is that a value is its own. */

import { isObject, own } from '@toolwire/core/json'
import type { Recognisers } from '@toolwire/core/wires'

const frameKeys = ['begin', 'say', 'use', 'more', 'closed', 'end', 'problem', 'note']

export const recognise: Recognisers = {
  request: body => (Array.isArray(own(body, 'talk')) ? 6 : 0),
  answer: body => (own(body, 'ended') !== undefined || isObject(own(body, 'problem')) ? 5 : 0),
  frame(_, data) {
    if (!isObject(data)) return 0
    const keys = Object.keys(data)
    return keys.length === 1 && frameKeys.includes(keys[0] ?? '') ? 5 : 0
  },
}
