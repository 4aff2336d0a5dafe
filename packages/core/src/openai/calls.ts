/** Calls in any form that programs keep them in, and the results of running them. */

import { pairCalls } from '../convert/adapt/turns/call-pairing.ts'
import type { JsonObject } from '../json/object.ts'
import { compact, isObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { CallPart, ResultPart, Turn } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import type { CallOutcome, ToolCall } from '../runtime/calls/outcome.ts'
import { builtInConversations } from '../wires/registry.ts'
import type { IdentifiedCall } from './answers.ts'
import { withPaths } from './answers.ts'
import type { ResultForm, ResultItem, ToolCallResult, ToolMessage } from './tool-manager-types.ts'
import type { ToolCallInfo, TrackedCalls } from './tracked-calls.ts'

/** Decodes an item of Responses, a call of Chat, or `{ id, name, arguments }`; `undefined` for anything else. */
export function readCallValue(value: unknown, index: number, report: Report): CallPart | undefined {
  const type = isObject(value) ? own(value, 'type') : undefined
  const isItem = type === 'function_call' || type === 'custom_tool_call'
  const innerReport = withPaths(
    // A call without the shape of its wire is expected here.
    (code, path, message) => code !== 'mixed_shape' && report(code, path, message),
    path => [index, ...path.slice(isItem ? 2 : 4)],
  )
  const { turns } = isItem
    ? builtInConversations.responses.decodeAnswer({ output: [value] }, innerReport)
    : builtInConversations.chat.decodeRequest(
        { messages: [{ role: 'assistant', tool_calls: [value] }] },
        innerReport,
      )
  const part = turns[0]?.parts[0]
  return part?.kind === 'call' ? { ...part, path: [index] } : undefined
}

/** A custom tool is run as the function that it becomes on other wires, with its text as the argument `input`. */
export function toToolCall(call: IdentifiedCall, known: ToolCallInfo | undefined): ToolCall {
  const { id, name, form, input } = call
  const isSameTool = known?.name === name
  const namespace = call.namespace ?? (isSameTool ? known.namespace : undefined)
  const wasTruncated = isSameTool && known.truncated === true && known.arguments === input
  const truncated = wasTruncated || (call.status !== undefined && call.status !== 'completed') || undefined
  const text = form === 'custom' ? JSON.stringify({ input }) : input
  return { id, name, arguments: text, ...compact({ namespace, truncated }) }
}

/** The outcome for a value that is not a call, so that every value has a result. */
export function unreadableCall(value: unknown, index: number, id: string): CallOutcome {
  const named = isObject(value) ? 'does not name a tool' : `is ${show(value)}`
  const message = `Call ${index} ${named}. A call is an item of type "function_call", a call as Chat writes it, or { id, name, arguments }.`
  const code = 'invalid_call'
  return {
    call: { id, name: '', arguments: '' },
    status: 'failed',
    content: [{ kind: 'text', text: errorText(message, code), path: [] }],
    isError: true,
    error: { code, message },
    fatal: false,
    attempts: 0,
    durationMs: 0,
    repaired: false,
    cut: false,
  }
}

/** The content of a result that reports a failure to the model. */
export function errorText(message: string, code: unknown): string {
  return JSON.stringify({ error: true, message, code })
}

export function toCallResult(outcome: CallOutcome, id: string, report: Report): ToolCallResult {
  const { value, error, isError } = outcome
  const message = toToolMessage(outcome, id, report)
  if (!isError) return { id, result: value, message, outcome }
  return { id, error: error?.message ?? textOf(outcome), message, outcome }
}

function textOf({ content }: CallOutcome): string {
  return content.flatMap(part => (part.kind === 'text' ? [part.text] : [])).join('\n')
}

function toToolMessage(outcome: CallOutcome, id: string, report: Report): ToolMessage {
  const { content, isError } = outcome
  const isErrorText = textOf(outcome).startsWith('{"error":true')
  const result: ResultPart = {
    kind: 'result',
    form: 'function',
    callId: id,
    content,
    plain: true,
    path: [],
    ...(isError && !isErrorText && { isError }),
  }
  const turns = [{ role: 'tool', parts: [result], root: [] }] as const
  const { messages } = builtInConversations.chat.encodeRequest({ turns, tools: {}, settings: {} }, report)
  const [message]: unknown[] = Array.isArray(messages) ? messages : []
  return message as ToolMessage
}

/**
 * Converts Chat's result messages for the next request. Other messages are skipped, the order is kept, and a result
 * without a known call is still sent.
 */
export function writeResults<Form extends ResultForm>(
  messages: readonly unknown[],
  tracked: TrackedCalls,
  form: Form,
  report: Report,
): ResultItem<Form>[] {
  const indexes = findResults(messages, report)
  const resultMessages = indexes.map(index => messages[index])
  // The codec gets a body that contains only the result messages, so its paths are mapped back.
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
  /** The encoded results, in order. */
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

/** The indexes of the result messages. */
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
        report('part_dropped', part.path, 'This is not the result of a call; it was left out.')
      return part.kind === 'result'
    })
}

/** Pairs results by the rules for histories, with the tracked calls in place of a history. */
function pairResults(results: readonly ResultPart[], tracked: TrackedCalls, report: Report): ResultPart[] {
  if (results.length === 0) return []
  const named = new Set(results.map(({ callId }) => callId))
  const calls = [...tracked.list()].filter(([id, call]) => !call.answered || named.has(id)).map(toCallPart)
  const turns: Turn[] = [
    { role: 'assistant', parts: calls, root: [] },
    { role: 'tool', parts: results, root: [] },
  ]
  // The results of other calls may come in a later list.
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

/** Chat's results do not state the form of their call, so it is taken from the call. */
function withForm(result: ResultPart, tracked: TrackedCalls): ResultPart {
  const call = result.callId === undefined ? undefined : tracked.get(result.callId)
  return call?.custom ? { ...result, form: 'custom' } : result
}
