/** A conversation on one wire: its history in the wire's own grouping, and the requests that continue it. */

import { createConversionContext } from '../convert/adapt/context.ts'
import { adaptTurns } from '../convert/adapt/request-adaptations.ts'
import type { ToolOptions } from '../convert/shared/options.ts'
import { callOf } from '../convert/undo/restore-call-part.ts'
import { createUniqueIds } from '../convert/undo/unique-ids.ts'
import type { JsonObject } from '../json/object.ts'
import { own } from '../json/object.ts'
import type { Answer } from '../model/answer.ts'
import type { CallPart, HostedPart, Turn } from '../model/conversation.ts'
import { createReport, type Diagnostic, type Report } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import { partsOf } from '../runtime/conversation/answer.ts'
import { ModelError, type Reply } from '../runtime/conversation/model-port.ts'
import type { RestoredCall, Session } from '../runtime/conversation/types.ts'
import type { Host } from '../runtime/host.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import type { ClientHabits, WireConversation } from '../wires/define-wire.ts'
import type { ConversationTools } from './conversation-tools.ts'
import { joinTools } from './conversation-tools.ts'
import { addAnswer, addResults, allTurns, type History } from './history.ts'
import { nextRequest } from './next-request.ts'
import { separateCalls } from './restore-answer.ts'
import type { Send } from './send.ts'
import type { Memory } from './server-memory.ts'
import { isUnknownAnswer, turnsToSend } from './server-memory.ts'
import { createWirePort } from './wire-port.ts'

export interface SessionOptions extends ToolOptions {
  readonly codec: WireConversation
  readonly host: Host
  readonly send: Send
  readonly tools: readonly ToolSpec[]
  readonly stream?: boolean
  readonly onlyNew?: boolean
}

export interface SessionStart {
  /** The caller's request; its turns are the beginning of the history. */
  readonly request: Request
  readonly history: History
  readonly memory: Memory
  /** True after the first answer. A forced tool choice applies to the first request only. */
  readonly begun: boolean
}

export interface WireSession extends Session {
  readonly history: History
  readonly memory: Memory
  readonly diagnostics: readonly Diagnostic[]
  /** Adds the next turns, such as the user's next message. */
  addTurns(turns: readonly Turn[]): void
}

export function openSession(start: SessionStart, options: SessionOptions): WireSession {
  const { codec, host } = options
  const { report, diagnostics } = createReport()
  const habits = codec.habits
  const context = createConversionContext({ to: codec }, options)
  const tools = joinTools(start.request.tools, options.tools, context, report)
  const names = new Set([...tools.undo.declared, ...tools.declared])
  let { history, memory, begun } = start
  const unique = uniqueIdsAfter(history, report)

  const port = (turns: readonly Turn[], more: JsonObject) =>
    createWirePort({
      codec,
      host,
      send: options.send,
      prepare: (request, report) => ({
        body: { ...codec.encodeRequest({ ...request, turns }, report), ...more },
        undo: tools.undo,
      }),
      finish: answer => separateCalls(answer, names, unique, host.newId),
    })

  return {
    tools: options.tools,
    get history() {
      return history
    },
    get memory() {
      return memory
    },
    diagnostics,
    async request({ onFallback, ...askOptions }): Promise<Reply> {
      const request = nextRequest(start.request, tools, begun, options)
      const { turns, previous } = turnsToSend({ request, history, memory, begun }, options)
      if (previous === undefined) return port(turns, {}).ask(request, askOptions)
      const fallBack = (message: string): Promise<Reply> => {
        memory = { sendsAll: true }
        onFallback(message)
        return port(allTurns(history), {}).ask(request, askOptions)
      }
      try {
        const reply = await port(turns, { [previous.field]: previous.id }).ask(request, askOptions)
        const { error, turns: received } = reply.answer
        const isError = error !== undefined && received.length === 0
        return isError && isUnknownAnswer(error, previous) ? fallBack(error.message) : reply
      } catch (thrown) {
        if (!(thrown instanceof ModelError) || !isUnknownAnswer(thrown, previous)) throw thrown
        return fallBack(thrown.message)
      }
    },
    addAnswer(answer) {
      history = addAnswer(history, answer, habits)
      begun = true
      memory = { sendsAll: memory.sendsAll, ...(answer.id !== undefined && { previous: answer.id }) }
    },
    addResults(results) {
      history = addResults(history, results, turns => adaptTurns(turns, context, report))
    },
    addTurns(turns) {
      history = { ...history, fresh: [...history.fresh, ...turns] }
    },
    restore: part => restore(part, tools),
    declares: name => tools.declared.has(name),
    pendingItems: answer => pendingItems(answer, habits),
  }
}

/** Returns a function that makes call ids unique over the history. Duplicates within the history are not reported. */
function uniqueIdsAfter(history: History, report: Report): (part: CallPart) => CallPart {
  let reports = false
  const unique = createUniqueIds((code, path, message) => {
    if (reports) report(code, path, message.replace('this answer', 'this conversation'))
  })
  for (const part of allTurns(history).flatMap(({ parts }) => parts)) if (part.kind === 'call') unique(part)
  reports = true
  return unique
}

function restore(part: CallPart, { undo }: ConversationTools): RestoredCall {
  const call = undo.restoreCall(callOf(part))
  return {
    form: call.kind === 'custom' ? 'custom' : 'function',
    name: call.name,
    ...(call.namespace !== undefined && { namespace: call.namespace }),
    arguments: call.kind === 'custom' ? call.input : call.arguments,
  }
}

/** Hosted items that wait for the client; most carry what the provider did itself. */
function pendingItems(answer: Answer, { clientItems }: ClientHabits): HostedPart[] {
  const hosted = partsOf(answer).filter(part => part.kind === 'hosted')
  // If the provider ran the call itself, the same answer has an item with the result.
  const answeredIds = new Set(
    hosted.filter(({ type }) => !clientItems.has(type)).map(({ value }) => own(value, 'call_id')),
  )
  return hosted.filter(({ type, value }) => {
    const kind = clientItems.get(type)
    if (kind === undefined) return false
    const [field, provider] = kind.ranBy ?? []
    if (field !== undefined && own(value, field) === provider) return false
    const id = own(value, 'call_id')
    return id === undefined || !answeredIds.has(id)
  })
}
