/** A request as the scripted model decoded it, for scripts that depend on it and tests that check it. */
import type { JsonObject } from '../json/object.ts'
import { compact, own } from '../json/object.ts'
import type { Part, ResultPart, Turn } from '../model/conversation.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Tool } from '../model/tool.ts'
import type { WireConversation } from '../wires/define-wire.ts'

/** A request as a scripted model got it, decoded from its wire. */
export interface SeenRequest {
  /** 0 for the first request. */
  readonly index: number
  readonly wire: string
  /** The body as it was sent. */
  readonly body: JsonObject
  /** Its headers, where it came through `fetch`; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly isStreamed: boolean
  readonly model: string | undefined
  /** The tools declared, by name; one in a namespace as `namespace.name`, a hosted one by its type. */
  readonly toolNames: readonly string[]
  readonly tools: readonly SeenTool[]
  /** The system and developer messages, and the instructions of the request. */
  readonly system: string
  /** The last text of the user. */
  readonly user: string
  /** Every call in the history, in order. */
  readonly calls: readonly SeenCall[]
  /** Every result in the history, in order. */
  readonly results: readonly SeenResult[]
  /** The results after the last turn of the model. */
  readonly newResults: readonly SeenResult[]
  /** Ids of calls that have no result in the request, or more than one. */
  readonly unansweredCalls: readonly string[]
  /** Ids of results without a call. Empty when the request continues a stored answer, which may have the call. */
  readonly orphanedResults: readonly string[]
}

/** A tool of a request that a scripted model got. */
export interface SeenTool {
  readonly kind: 'function' | 'custom' | 'hosted'
  readonly name: string
  readonly namespace?: string
  readonly description?: string
  /** JSON Schema of the arguments, as declared. */
  readonly parameters?: unknown
}

/** A call in the history of a request that a scripted model got. */
export interface SeenCall {
  readonly id: string | undefined
  readonly name: string
  readonly namespace?: string
  /** The arguments or the free text, as written in the history. */
  readonly arguments: string
}

/** A result in the history of a request that a scripted model got. */
export interface SeenResult {
  readonly callId: string | undefined
  readonly text: string
  readonly isError: boolean
}

interface ReceivedRequest {
  readonly index: number
  readonly body: JsonObject
  readonly headers: Readonly<Record<string, string>>
}

export function seeRequest(codec: WireConversation, { index, body, headers }: ReceivedRequest): SeenRequest {
  const { model, turns, tools, settings } = codec.decodeRequest(body, createReport().report)
  const seen = [...(tools.tools ?? []), ...(tools.additionalTools ?? [])].flatMap(tool => seeTool(tool))
  const [calls, results] = [turns.flatMap(callsOf), turns.flatMap(resultsOf)]
  const lastAnswer = turns.findLastIndex(({ role }) => role === 'assistant')
  return {
    index,
    wire: codec.wire,
    body,
    headers,
    isStreamed: settings.stream?.value === true,
    model,
    tools: seen,
    toolNames: seen.map(({ name, namespace }) => (namespace === undefined ? name : `${namespace}.${name}`)),
    system: turns.filter(isSystem).map(textOf).join('\n'),
    user: textOf(turns.findLast(turn => turn.role === 'user' && textOf(turn) !== '')),
    calls,
    results,
    newResults: turns.slice(lastAnswer + 1).flatMap(resultsOf),
    unansweredCalls: unanswered(calls, results),
    orphanedResults: typeof own(body, 'previous_response_id') === 'string' ? [] : orphaned(calls, results),
  }
}

function seeTool(tool: Tool, namespace?: string): SeenTool[] {
  switch (tool.kind) {
    case 'namespace':
      return tool.tools.flatMap(inner => seeTool(inner, tool.name))
    case 'hosted':
      return [{ kind: 'hosted', name: tool.type }]
    case 'opaque':
      return []
    case 'custom':
    case 'function': {
      const parameters = tool.kind === 'function' ? tool.parameters : undefined
      const { kind, name, description } = tool
      return [{ kind, name, ...compact({ namespace, description, parameters }) }]
    }
  }
}

const isSystem = ({ role }: Turn): boolean => role === 'system' || role === 'developer'

const textOf = (turn: Turn | undefined): string => joinTexts(turn?.parts ?? [])

const joinTexts = (parts: readonly Part[]): string =>
  parts.flatMap(part => (part.kind === 'text' ? [part.text] : [])).join('\n')

function callsOf({ parts }: Turn): SeenCall[] {
  return parts.flatMap(part =>
    part.kind === 'call'
      ? [{ id: part.id, name: part.name, arguments: part.input, ...compact({ namespace: part.namespace }) }]
      : [],
  )
}

function resultsOf({ parts }: Turn): SeenResult[] {
  return parts
    .filter((part): part is ResultPart => part.kind === 'result')
    .map(({ callId, content, isError }) => ({ callId, text: joinTexts(content), isError: isError === true }))
}

function unanswered(calls: readonly SeenCall[], results: readonly SeenResult[]): string[] {
  const counts = new Map<string | undefined, number>()
  for (const { callId } of results) counts.set(callId, (counts.get(callId) ?? 0) + 1)
  return calls.filter(({ id }) => counts.get(id) !== 1).map(({ id }) => id ?? '(no id)')
}

function orphaned(calls: readonly SeenCall[], results: readonly SeenResult[]): string[] {
  const ids = new Set(calls.map(({ id }) => id))
  return results.filter(({ callId }) => !ids.has(callId)).map(({ callId }) => callId ?? '(no id)')
}
