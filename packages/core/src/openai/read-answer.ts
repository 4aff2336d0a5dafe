/** An answer of Responses, with its calls as the program that declared the tools knows them. */

import type { CallUndo } from '../convert/undo/call-undo.ts'
import { expandParallelWrapper, isParallelWrapper } from '../convert/undo/parallel-wrapper.ts'
import { restoreCallPart } from '../convert/undo/restore-call-part.ts'
import { createUniqueIds } from '../convert/undo/unique-ids.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import type { Answer, FinishReason } from '../model/answer.ts'
import type { CallPart, Part } from '../model/conversation.ts'
import type { Path, Report } from '../model/diagnostic.ts'
import { builtInConversations } from '../wires/registry.ts'

export interface CallReader {
  readonly undo: CallUndo
  readonly newId: (prefix: string) => string
}

export type IdentifiedCall = CallPart & { readonly id: string }

const cutShort: ReadonlySet<FinishReason> = new Set([
  'length',
  'filter',
  'failed',
  'cancelled',
  'unfinished',
] as const)

export function readAnswer(body: JsonObject, reader: CallReader, report: Report): Answer {
  const answer = builtInConversations.responses.decodeAnswer(withRoles(body), report)
  const unique = createUniqueIds(report)
  const isCut = cutShort.has(answer.finish.reason)
  const readPart = (part: Part): Part[] => {
    if (part.kind !== 'call') return [part]
    const { declared } = reader.undo
    const bundle = isParallelWrapper(part, declared) ? expandParallelWrapper(part, declared) : undefined
    return (bundle ?? [part]).map(call =>
      readCall(unique(markTruncated(withoutEmptyId(call), isCut)), reader, report),
    )
  }
  const turns = answer.turns.map(turn => ({ ...turn, parts: turn.parts.flatMap(readPart) }))
  for (const part of partsOf({ turns })) reportNameless(part, report)
  return { ...answer, turns }
}

/** In an answer only the model speaks, so a message need not say who does. */
function withRoles(body: JsonObject): JsonObject {
  const output = own(body, 'output')
  if (!Array.isArray(output)) return body
  const isUnsigned = (item: unknown): item is JsonObject =>
    isObject(item) && own(item, 'type') === 'message' && own(item, 'role') === undefined
  return { ...body, output: output.map(item => (isUnsigned(item) ? { ...item, role: 'assistant' } : item)) }
}

/** An empty id pairs nothing and counts as none. */
function withoutEmptyId(call: CallPart): CallPart {
  if (call.id !== '') return call
  const { id: _, ...rest } = call
  return rest
}

/** Under its own id or a new one, and for the tool as it was declared. */
export function readCall(part: CallPart, { undo, newId }: CallReader, report: Report): IdentifiedCall {
  const restored = restoreCallPart(part, { undo, newId, verbatim: false })
  const call = restored.kind === 'call' ? restored : part
  if (call.id) return { ...call, id: call.id }
  const id = newId('call_')
  report('call_id_inferred', part.path, `The call has no id; it goes as "${id}".`)
  return { ...call, id }
}

/** In an answer that was cut off, only a call that its item says is completed can be trusted to be whole. */
function markTruncated(call: CallPart, isCut: boolean): CallPart {
  const isWhole = call.status === 'completed' || (call.status === undefined && !isCut)
  return isWhole ? call : { ...call, status: 'incomplete' }
}

function reportNameless(part: Part, report: Report): void {
  if (part.kind !== 'opaque' || !isObject(part.value)) return
  const type = own(part.value, 'type')
  if (type !== 'function_call' && type !== 'custom_tool_call') return
  report('missing_name', [...part.path, 'name'], 'The call does not name a tool; it was left out.')
}

export function partsOf({ turns }: Pick<Answer, 'turns'>): readonly Part[] {
  return turns.flatMap(({ parts }) => parts)
}

/** A report for a reader that sees the value inside another: paths are told as the caller knows them. */
export function withPaths(report: Report, toCaller: (path: Path) => Path): Report {
  return (code, path, message) => report(code, toCaller(path), message)
}
