/**
 * Some servers give two calls of one answer the same id, and no client can answer both. The second call gets a new
 * id. The client's history repeats it on call and result, so there is nothing to undo.
 */
import type { CallPart } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'

export function createUniqueIds(report: Report, taken: readonly string[] = []): (part: CallPart) => CallPart {
  const seen = new Set(taken)
  const copies = new Map<string, number>()
  return part => {
    if (part.id === undefined) return part
    let id = part.id
    for (let copy = copies.get(part.id) ?? 2; seen.has(id); copy++) {
      id = `${part.id}_${copy}`
      copies.set(part.id, copy + 1)
    }
    seen.add(id)
    if (id === part.id) return part
    report(
      'call_id_rewritten',
      part.path,
      `Another call of this answer has the id "${part.id}" too; this one goes as "${id}".`,
    )
    return { ...part, id }
  }
}
