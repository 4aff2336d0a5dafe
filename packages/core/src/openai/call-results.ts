/** Results of calls, from the messages of Chat to what goes into the next request. */

import { pairCalls } from '../convert/adapt/call-pairing.ts'
import type { JsonObject } from '../json/object.ts'
import { isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { CallPart, ResultPart, Turn } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import { builtInConversations } from '../wires/registry.ts'
import type { CallLedger, ToolCallInfo } from './call-ledger.ts'
import { withPaths } from './read-answer.ts'
import type { ResultForm, ResultItem } from './tool-manager-types.ts'

/** Messages that are no results are passed over. Order is kept, and a result nobody asked for is still sent. */
export function writeResults<Form extends ResultForm>(
  messages: readonly unknown[],
  ledger: CallLedger,
  form: Form,
  report: Report,
): ResultItem<Form>[] {
  const places = findResults(messages, report)
  const given = places.map(place => messages[place])
  // The codec sees a body whose messages are the results alone.
  const inside = withPaths(report, ([, at, ...rest]) =>
    typeof at === 'number' ? [places[at] ?? at, ...rest] : [],
  )
  const results = pairResults(readResults(given, inside), ledger, inside)
  if (results.length === 0) return []
  const turns: Turn[] = [{ role: 'tool', parts: results, root: [] }]
  const written = writers[form]({ turns, tools: {}, settings: {} }, inside)
  results.forEach(({ callId, path }, i) => {
    if (callId !== undefined) ledger.answer(callId, JSON.stringify(written.results[i]), path, inside)
  })
  return written.items as ResultItem<Form>[]
}

interface Written {
  readonly items: readonly unknown[]
  /** What stands for each result, in order. */
  readonly results: readonly unknown[]
}

type RequestParts = Parameters<typeof builtInConversations.responses.encodeRequest>[0]

const writers: { readonly [Form in ResultForm]: (request: RequestParts, report: Report) => Written } = {
  function_call_output(request, report) {
    const items = listOf(builtInConversations.responses.encodeRequest(request, report), 'input')
    return { items, results: items }
  },
  tool_result(request, report) {
    const items = listOf(builtInConversations.messages.encodeRequest(request, report), 'messages')
    const [message] = items
    return { items, results: isObject(message) ? listOf(message, 'content') : [] }
  },
}

function listOf(holder: JsonObject, key: string): readonly unknown[] {
  const list = own(holder, key)
  return Array.isArray(list) ? list : []
}

/** Where the results stand among the messages. */
function findResults(messages: readonly unknown[], report: Report): number[] {
  const places: number[] = []
  messages.forEach((message, i) => {
    const role = isObject(message) ? own(message, 'role') : undefined
    if (role === 'tool' || role === 'function') places.push(i)
    else if (!isObject(message))
      report('unknown_type', [i], `A message must be an object; got ${show(message)}. It was left out.`)
  })
  return places
}

function readResults(messages: readonly unknown[], report: Report): ResultPart[] {
  const { turns } = builtInConversations.chat.decodeRequest({ messages }, report)
  return turns
    .flatMap(({ parts }) => parts)
    .filter(part => {
      if (part.kind !== 'result')
        report('part_dropped', part.path, 'This is no result of a call; it was left out.')
      return part.kind === 'result'
    })
}

/** The same rules as for whole conversations, with the calls that are remembered in place of a history. */
function pairResults(results: readonly ResultPart[], ledger: CallLedger, report: Report): ResultPart[] {
  if (results.length === 0) return []
  const named = new Set(results.map(({ callId }) => callId))
  const calls = [...ledger.list()].filter(([id, call]) => !call.answered || named.has(id)).map(toCallPart)
  const turns: Turn[] = [
    { role: 'assistant', parts: calls, root: [] },
    { role: 'tool', parts: results, root: [] },
  ]
  // The results of other calls may come with a later list.
  const paired = pairCalls(turns, 'error', (code, path, message) => {
    if (code !== 'missing_result') report(code, path, message)
  })
  return paired
    .flatMap(({ parts }) => parts)
    .filter(part => part.kind === 'result')
    .map(result => withForm(result, ledger))
}

function toCallPart([id, call]: readonly [string, ToolCallInfo]): CallPart {
  const form = call.custom ? 'custom' : 'function'
  return { kind: 'call', form, id, name: call.name, input: call.arguments, path: [] }
}

/** Chat does not say what kind of call a result answers; the call does. */
function withForm(result: ResultPart, ledger: CallLedger): ResultPart {
  const call = result.callId === undefined ? undefined : ledger.get(result.callId)
  return call?.custom ? { ...result, form: 'custom' } : result
}
