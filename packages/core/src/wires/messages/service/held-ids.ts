/** The ids under which a server of Messages holds containers, in which code has left its files, and files and skills. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import { heldId, listOf, namedIds } from '../../kit/held-id.ts'
import type { HeldIds, HeldKind, HeldReference } from '../../service.ts'

const files: ReadonlyMap<string, HeldKind> = new Map([['file_id', 'file']])

export const messagesHeldIds: HeldIds = {
  marks: ['"container"', '"file_id"', '"skill_id"'],
  references: body => [
    ...heldId('container', containerOf(body), ['container']),
    ...skillReferences(own(body, 'container')),
    ...namedIds(body, files),
  ],
  // Code that runs there tells which files it has written.
  idsIn: answer =>
    [...heldId('container', containerOf(answer), []), ...namedIds(own(answer, 'content'), files)].map(
      ({ id }) => id,
    ),
}

function containerOf(body: JsonObject): unknown {
  const container = own(body, 'container')
  return isObject(container) ? own(container, 'id') : container
}

/** Those of the vendor are everybody's. */
function skillReferences(container: unknown): HeldReference[] {
  if (!isObject(container)) return []
  return listOf(container, 'skills').flatMap((skill, index) =>
    own(skill, 'type') === 'anthropic'
      ? []
      : heldId('skill', own(skill, 'skill_id'), ['container', 'skills', index, 'skill_id']),
  )
}
