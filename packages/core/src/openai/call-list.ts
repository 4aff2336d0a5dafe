/** Calls in any of the forms programs keep them in, ready to be run, and how running them went. */

import { compact, isObject, own, show } from '../json/json.ts'
import type { CallPart, ResultPart } from '../model/conversation.ts'
import type { Report } from '../model/diagnostic.ts'
import type { CallOutcome, ToolCall } from '../runtime/calls/outcome.ts'
import { builtInConversations } from '../wires/registry.ts'
import type { IdentifiedCall } from './read-answer.ts'
import { withPaths } from './read-answer.ts'
import type { ToolCallResult, ToolMessage } from './tool-manager-types.ts'
import type { ToolCallInfo } from './tracked-calls.ts'

/** An item of Responses, a call of Chat, or `{ id, name, arguments }`; `undefined` when it is none of these. */
export function readCallValue(value: unknown, index: number, report: Report): CallPart | undefined {
  const type = isObject(value) ? own(value, 'type') : undefined
  const isItem = type === 'function_call' || type === 'custom_tool_call'
  const innerReport = withPaths(
    // That a call is written without its frame is what this function is there for.
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

/** A custom tool is run as the function it becomes elsewhere: its text is the one argument, `input`. */
export function toToolCall(call: IdentifiedCall, known: ToolCallInfo | undefined): ToolCall {
  const { id, name, form, input } = call
  const isSameTool = known?.name === name
  const namespace = call.namespace ?? (isSameTool ? known.namespace : undefined)
  const wasTruncated = isSameTool && known.truncated === true && known.arguments === input
  const truncated = wasTruncated || (call.status !== undefined && call.status !== 'completed') || undefined
  const text = form === 'custom' ? JSON.stringify({ input }) : input
  return { id, name, arguments: text, ...compact({ namespace, truncated }) }
}

/** What could not be read as a call gets its result too, so that there is one for each. */
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

/** How a failure is told to the model. */
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
