/** Results of calls, from the messages of Chat to what goes into the next request. */

import { pairCalls } from '../convert/adapt/call-pairing.ts'
import type { JsonObject } from '../json/json.ts'
import { isObject, own, show } from '../json/json.ts'
import type { CallPart, ResultPart, Turn } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import { builtInConversations } from '../wires/registry.ts'
import { withPaths } from './read-answer.ts'
import type { ResultForm, ResultItem } from './tool-manager-types.ts'
import type { ToolCallInfo, TrackedCalls } from './tracked-calls.ts'

/** Messages that are no results are passed over. Order is kept, and a result nobody asked for is still sent. */
export function writeResults<Form extends ResultForm>(
  messages: readonly unknown[],
  tracked: TrackedCalls,
  form: Form,
  report: Report,
): ResultItem<Form>[] {
  const indexes = findResults(messages, report)
  const resultMessages = indexes.map(index => messages[index])
  // The codec sees a body whose messages are the results alone.
  const innerReport = withPaths(report, ([, at, ...rest]) =>
    typeof at === 'number' ? [indexes[at] ?? at, ...rest] : [],
  )
  const results = pairResults(readResults(resultMessages, innerReport), tracked, innerReport)
  if (results.length === 0) return []
  const turns: Turn[] = [{ role: 'tool', parts: results, root: [] }]
  const written = writers[form]({ turns, tools: {}, settings: {} }, innerReport)
  results.forEach(({ callId, path }, i) => {
    if (callId !== undefined)
      tracked.recordResult(callId, JSON.stringify(written.results[i]), path, innerReport)
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
  const indexes: number[] = []
  messages.forEach((message, i) => {
    const role = isObject(message) ? own(message, 'role') : undefined
    if (role === 'tool' || role === 'function') indexes.push(i)
    else if (!isObject(message))
      report('unknown_type', [i], `A message must be an object; got ${show(message)}. It was left out.`)
  })
  return indexes
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
function pairResults(results: readonly ResultPart[], tracked: TrackedCalls, report: Report): ResultPart[] {
  if (results.length === 0) return []
  const named = new Set(results.map(({ callId }) => callId))
  const calls = [...tracked.list()].filter(([id, call]) => !call.answered || named.has(id)).map(toCallPart)
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
    .map(result => withForm(result, tracked))
}

function toCallPart([id, call]: readonly [string, ToolCallInfo]): CallPart {
  const form = call.custom ? 'custom' : 'function'
  return { kind: 'call', form, id, name: call.name, input: call.arguments, path: [] }
}

/** Chat does not say what kind of call a result answers; the call does. */
function withForm(result: ResultPart, tracked: TrackedCalls): ResultPart {
  const call = result.callId === undefined ? undefined : tracked.get(result.callId)
  return call?.custom ? { ...result, form: 'custom' } : result
}
