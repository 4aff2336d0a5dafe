/** The ids under which a server of Chat Completions holds spoken answers. */
import { isObject, own } from '../../../json/object.ts'
import { heldId, listOf } from '../../kit/held-id.ts'
import type { HeldIds, HeldReference } from '../../service.ts'

export const chatHeldIds: HeldIds = {
  marks: ['"audio"'],
  references: body =>
    listOf(body, 'messages').flatMap((message, index) =>
      audioOf(own(message, 'audio'), ['messages', index, 'audio', 'id']),
    ),
  idsIn: answer =>
    listOf(answer, 'choices').flatMap(choice => {
      const message = own(choice, 'message')
      return isObject(message) ? audioOf(own(message, 'audio'), []).map(({ id }) => id) : []
    }),
}

function audioOf(audio: unknown, path: HeldReference['path']): HeldReference[] {
  return isObject(audio) ? heldId('audio', own(audio, 'id'), path) : []
}
