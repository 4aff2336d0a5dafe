/** The ids under which a server of Messages holds containers, in which code has left its files. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import { heldId } from '../../kit/held-id.ts'
import type { HeldIds } from '../../service.ts'

export const messagesHeldIds: HeldIds = {
  marks: ['"container"'],
  references: body => heldId('container', containerOf(body), ['container']),
  idsIn: answer => heldId('container', containerOf(answer), []).map(({ id }) => id),
}

function containerOf(body: JsonObject): unknown {
  const container = own(body, 'container')
  return isObject(container) ? own(container, 'id') : container
}
