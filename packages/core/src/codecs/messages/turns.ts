/** Messages and the system prompt. */
import type { Role, Turn } from '../../model/conversation.ts'
import type { Path } from '../../model/diagnostic.ts'
import { compact, isObject, own } from '../../model/json.ts'
import type { ResidueEntry } from '../../model/residue.ts'
import { reportResidue } from '../../model/residue.ts'
import { createFieldReader } from '../field-reader.ts'
import type { WriteContext } from './leftovers.ts'
import { close, leave, remembered } from './leftovers.ts'
import { contentOf, decodeBlocks, encodeBlocks } from './parts.ts'

const roles: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['system', 'system'],
  ['developer', 'developer'],
])

const written: { readonly [R in Role]: string } = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'user',
}

export function decodeTurn(message: unknown, root: Path): Turn {
  const role = isObject(message) ? roles.get(own(message, 'role')) : undefined
  // Without a role nobody knows who speaks; the message goes back whole to its own wire.
  if (!isObject(message) || role === undefined) {
    return { role: 'user', root, parts: [{ kind: 'opaque', wire: 'messages', path: root, value: message }] }
  }
  const fields = createFieldReader(message)
  fields.skip('role')
  const quiet: ResidueEntry[] = written[role] === role ? [] : [[['role'], role]]
  const content = own(message, 'content')
  const { parts, plain, kept } = readContent(content, [...root, 'content'])
  if (parts !== undefined || content === undefined) fields.skip('content')
  if (kept !== undefined) quiet.push([['content'], kept.value])
  return { role, root, parts: parts ?? [], ...compact({ plain }), ...leave(root, fields.rest(), quiet) }
}

function readContent(
  content: unknown,
  path: Path,
): { parts?: Turn['parts']; plain?: true; kept?: { value: unknown } } {
  if (typeof content === 'string') return { parts: [{ kind: 'text', text: content, path }], plain: true }
  if (Array.isArray(content) && content.length > 0) return { parts: decodeBlocks(content, path) }
  if (Array.isArray(content)) return { parts: [], kept: { value: content } }
  return content === undefined ? { kept: { value: content } } : {}
}

/** The system prompt as a turn, or `undefined` when it is none. */
export function decodeSystem(system: unknown): Turn | undefined {
  const root = ['system']
  if (typeof system !== 'string' && !Array.isArray(system)) return undefined
  const { parts = [], plain } = readContent(system, root)
  return { role: 'system', root, instructions: true, parts, ...compact({ plain }) }
}

/** The field for instructions: one bare text, or a list of blocks. */
export function encodeSystem(turns: readonly Turn[], context: WriteContext): unknown {
  if (turns.length === 0) return undefined
  const blocks = turns.flatMap(turn => encodeBlocks(turn.parts, context))
  for (const turn of turns) reportResidue(turn.residue, context.report)
  const content = contentOf(turns.length === 1 && turns[0]?.plain, blocks)
  return content === undefined && context.own ? blocks : content
}

export function encodeTurns(turns: readonly Turn[], context: WriteContext): unknown[] {
  return turns.map(turn => encodeTurn(turn, context)).filter(message => message !== undefined)
}

function encodeTurn(turn: Turn, context: WriteContext): unknown {
  const [only] = turn.parts
  const whole = only?.kind === 'opaque' && only.wire === 'messages' && only.path.length === turn.root.length
  if (whole && turn.parts.length === 1) return only.value
  const role = written[turn.role]
  const content = contentOf(turn.plain, encodeBlocks(turn.parts, context))
  if (content !== undefined) return close({ role, content }, turn.residue, context.report)
  if (remembered(turn.residue, 'content') !== undefined) return close({ role }, turn.residue, context.report)
  // Servers refuse a message without content, and it says nothing.
  reportResidue(turn.residue, context.report)
  return undefined
}
