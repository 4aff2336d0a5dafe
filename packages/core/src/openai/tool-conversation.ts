/**
 * The tools of one conversation with a model on Responses, for a program that thinks in Chat: definitions go
 * out, calls come in and are run, results go back. Remembers the conversation's calls and nobody else's.
 */
import { type CallUndo, createCallUndo } from '../convert/undo/call-undo.ts'
import type { Answer } from '../model/answer.ts'
import { createReport, type Report } from '../model/diagnostic.ts'
import type { CallOutcome, ToolCall } from '../runtime/calls/outcome.ts'
import { runCallsWith } from '../runtime/calls/run-calls.ts'
import { describeError } from '../runtime/errors.ts'
import type { Host } from '../runtime/host.ts'
import type { ToolRegistry } from '../runtime/tools/registry.ts'
import { calculateToolTokens } from '../tokens/seed-formulas.ts'
import { writeAssistantMessage } from './assistant-message.ts'
import { errorText, readCallValue, toCallResult, toToolCall, unreadableCall } from './call-list.ts'
import { writeResults } from './call-results.ts'
import { FailedResponseError } from './failed-response-error.ts'
import {
  type CallReader,
  type IdentifiedCall,
  partsOf,
  readAnswer,
  readCall,
  withPaths,
} from './read-answer.ts'
import { deliver } from './tool-formats.ts'
import { transformToolList } from './tool-list.ts'
import { requireAnswer, requireCallId, requireList } from './tool-manager-checks.ts'
import type {
  AssistantMessage,
  ChatFunctionCall,
  FailedToolCall,
  ResultForm,
  ResultItem,
  RunOptions,
  ToolCallResult,
  ToolManagerOptions,
} from './tool-manager-types.ts'
import type { ToolCallInfo, TrackedCalls } from './tracked-calls.ts'
import type { ResponsesTool } from './types.ts'

/** What all conversations of a manager share. */
export interface ManagerContext<Form extends ResultForm> {
  readonly host: Host
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly tools: ToolRegistry
  readonly options: ToolManagerOptions
  readonly form: Form
  /** The manager's own conversation: its tools are everyone's who has not been given others. */
  readonly own: ConversationState
}

/** What belongs to one conversation. */
export interface ConversationState {
  readonly calls: TrackedCalls
  /** The way back from the tools that were last written for it, or else for the manager. */
  undo?: CallUndo | undefined
}

export class ToolConversation<Form extends ResultForm = 'function_call_output'> {
  readonly #context: ManagerContext<Form>
  readonly #state: () => ConversationState

  constructor(context: ManagerContext<Form>, state: () => ConversationState) {
    this.#context = context
    this.#state = state
  }

  /** The calls of this conversation by id, as far as they are remembered. A copy. */
  get toolCallMap(): ReadonlyMap<string, ToolCallInfo> {
    return this.#state().calls.list()
  }

  /** The tools that `handleParallelTools` can run. */
  get tools(): ToolRegistry {
    return this.#context.tools
  }

  /**
   * Definitions, or registered tools, as Responses wants them. Functions become flat and always state
   * `strict`; tools of other types pass as they are; what cannot be sent is left out and reported.
   */
  transformTools(tools: unknown): ResponsesTool[] {
    return this.#reporting(report => {
      const { written, undo } = transformToolList(tools, this.#context.options, report)
      this.#state().undo = undo
      return written
    })
  }

  /** The function calls among the items of an answer, as Chat writes them. They are remembered by their ids. */
  processFunctionCalls(outputs: unknown): ChatFunctionCall[] {
    const output = requireList(outputs, 'processFunctionCalls', 'the "output" list of an answer')
    return this.#reporting(reportFull => {
      const report = withPaths(reportFull, path => path.slice(1))
      const { turns, finish } = readAnswer({ output }, this.#reader(), report)
      const calls = this.#record({ turns }, report)
      for (const call of calls.filter(({ form }) => form === 'custom')) {
        const message = `"${call.name}" is a custom tool, and its call is no function call; process() gives it.`
        report('part_dropped', call.path, message)
      }
      const functions = calls.filter(({ form }) => form === 'function')
      if (functions.length === 0) return []
      const answer = { turns: [{ role: 'assistant', parts: functions, root: [] }], finish } as const
      const { tool_calls = [] } = writeAssistantMessage(answer, this.#context.host.newId, report)
      return tool_calls.filter(call => call.type === 'function')
    })
  }

  /**
   * Results, each a message of Chat with the role `tool`, as items for the next request, in their order.
   * Other messages are passed over. A result without its call is sent all the same, and reported.
   */
  transformToolResults(messages: unknown): ResultItem<Form>[] {
    const list = requireList(messages, 'transformToolResults', 'a list of messages')
    return this.#reporting(report => writeResults(list, this.#state().calls, this.#context.form, report))
  }

  /**
   * Runs calls side by side and gives one result for each, in their order, whatever the tools do. Takes the
   * items of Responses, the calls of Chat, or `{ id, name, arguments }`. Rejects only over what is no list of
   * calls and options that cannot be used.
   */
  async handleParallelTools(calls: unknown, options: RunOptions = {}): Promise<ToolCallResult[]> {
    const list = requireList(calls, 'handleParallelTools', 'a list of calls')
    const { host, tools, options: defaults } = this.#context
    const read = this.#reporting(report => Array.from(list, (value, i) => this.#readCall(value, i, report)))
    const runnable = read.flatMap(({ call }) => call ?? [])
    const ran = await runCallsWith(host, runnable, { ...defaults, ...options, tools })
    const outcomes = new Map(runnable.map((call, i) => [call, ran[i]]))
    return this.#reporting(report =>
      read.flatMap(({ call, unread }) => {
        const outcome = call === undefined ? unread : outcomes.get(call)
        return outcome === undefined ? [] : [toCallResult(outcome, call?.id ?? outcome.call.id, report)]
      }),
    )
  }

  /**
   * The body of an answer as one message of Chat: text and calls together. Calls are remembered; what the
   * message cannot say is reported. Rejects with a `FailedResponseError` when the answer says that it failed.
   */
  async process(response: unknown): Promise<AssistantMessage> {
    const body = requireAnswer(response)
    return this.#reporting(report => {
      const answer = readAnswer(body, this.#reader(), report)
      if (answer.error !== undefined || answer.finish.reason === 'failed')
        throw new FailedResponseError(answer.error)
      this.#record(answer, report)
      return writeAssistantMessage(answer, this.#context.host.newId, report)
    })
  }

  /** What tells the model that its call failed. Takes any error that has the id of the call on it. */
  handleFailedToolCall(error: FailedToolCall): ResultItem<Form> {
    const tool_call_id = requireCallId(error)
    const { message, code } = describeError(error)
    const result = { role: 'tool', tool_call_id, content: errorText(message, code) }
    const [item] = this.transformToolResults([result])
    return item as ResultItem<Form>
  }

  /** How many tokens seed documents advise for an answer that may call these tools. */
  calculateToolTokens(tools: readonly unknown[] | null | undefined, baseTokens: number): number {
    return calculateToolTokens(tools, baseTokens)
  }

  #readCall(value: unknown, index: number, report: Report): ReadCall {
    const { calls: tracked } = this.#state()
    const part = readCallValue(value, index, report)
    if (part === undefined) return { unread: unreadableCall(value, index, this.#context.host.newId('call_')) }
    const call = readCall(part, this.#reader(), report)
    const known = tracked.get(call.id)
    // A program may have changed the arguments before it lets a call run; it is still the same call.
    if (known?.name !== call.name) tracked.record(call, this.#context.now(), report)
    return { call: toToolCall(call, known) }
  }

  #record(answer: Pick<Answer, 'turns'>, report: Report): IdentifiedCall[] {
    const { calls: tracked } = this.#state()
    const calls = partsOf(answer).filter((part): part is IdentifiedCall => part.kind === 'call')
    for (const call of calls) tracked.record(call, this.#context.now(), report)
    return calls
  }

  #reader(): CallReader {
    const undo = this.#state().undo ?? this.#context.own.undo ?? createCallUndo([])
    return { undo, newId: this.#context.host.newId }
  }

  #reporting<T>(work: (report: Report) => T): T {
    const { report, diagnostics } = createReport()
    try {
      return work(report)
    } finally {
      deliver(diagnostics, this.#context.options)
    }
  }
}

/** A call to run, or how it went if it cannot be. */
interface ReadCall {
  readonly call?: ToolCall
  readonly unread?: CallOutcome
}
