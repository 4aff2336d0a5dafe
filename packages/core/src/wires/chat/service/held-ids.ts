/** The ids under which a server of Chat Completions holds spoken answers, files and voices. */
import { isObject, own } from '../../../json/object.ts'
import { heldId, listOf, namedIds } from '../../kit/held-id.ts'
import type { HeldIds, HeldKind, HeldReference } from '../../service.ts'

const files: ReadonlyMap<string, HeldKind> = new Map([['file_id', 'file']])

export const chatHeldIds: HeldIds = {
  marks: ['"audio"', '"file_id"'],
  references: body => [
    ...listOf(body, 'messages').flatMap((message, index) =>
      audioOf(own(message, 'audio'), ['messages', index, 'audio', 'id']),
    ),
    ...voiceOf(own(body, 'audio')),
    ...namedIds(body, files),
  ],
  idsIn: answer =>
    listOf(answer, 'choices').flatMap(choice => {
      const message = own(choice, 'message')
      return isObject(message) ? audioOf(own(message, 'audio'), []).map(({ id }) => id) : []
    }),
}

function audioOf(audio: unknown, path: HeldReference['path']): HeldReference[] {
  return isObject(audio) ? heldId('audio', own(audio, 'id'), path) : []
}

/** A name is one of the vendor's voices; an object names one that somebody made. */
function voiceOf(audio: unknown): HeldReference[] {
  const voice = isObject(audio) ? own(audio, 'voice') : undefined
  return isObject(voice) ? heldId('voice', own(voice, 'id'), ['audio', 'voice', 'id']) : []
}
