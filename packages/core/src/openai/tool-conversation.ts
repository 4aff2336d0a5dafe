/**
 * The tools of one conversation with a model on Responses, for a program that works with Chat messages: encodes
 * definitions, decodes and runs calls, and encodes results. It tracks the calls of this conversation only.
 */

import { type CallUndo, createCallUndo } from '../convert/undo/call-undo.ts'
import { refuseUnknownOptions } from '../json/known-options.ts'
import type { Answer } from '../model/answer.ts'
import type { Report } from '../model/diagnostic.ts'
import type { CallOutcome, ToolCall } from '../runtime/calls/outcome.ts'
import { runCallsWith } from '../runtime/calls/run-calls.ts'
import { callOptionNames } from '../runtime/calls/run-options.ts'
import { describeError } from '../runtime/errors.ts'
import type { Host } from '../runtime/host.ts'
import type { ToolRegistry } from '../runtime/tools/registry.ts'
import { calculateToolTokens } from '../tokens/seed-formulas.ts'
import {
  type CallReader,
  type IdentifiedCall,
  partsOf,
  readAnswer,
  readCall,
  withPaths,
  writeAssistantMessage,
} from './answers.ts'
import { errorText, readCallValue, toCallResult, toToolCall, unreadableCall, writeResults } from './calls.ts'
import { FailedResponseError } from './errors.ts'
import { transformToolList, withReport } from './tool-formats.ts'
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
  /** The manager's default conversation. Its tools apply to conversations that were not given other tools. */
  readonly own: ConversationState
}

/** The state of one conversation. */
export interface ConversationState {
  readonly calls: TrackedCalls
  /** The undo for the tools that were last encoded for this conversation. */
  undo?: CallUndo | undefined
}

/** The calls and results of one conversation, for a `ToolManager`. */
export class ToolConversation<Form extends ResultForm = 'function_call_output'> {
  readonly #context: ManagerContext<Form>
  readonly #state: () => ConversationState

  constructor(context: ManagerContext<Form>, state: () => ConversationState) {
    this.#context = context
    this.#state = state
  }

  /** A copy of the tracked calls of this conversation, by id. */
  get toolCallMap(): ReadonlyMap<string, ToolCallInfo> {
    return this.#state().calls.list()
  }

  /** The tools that `handleParallelTools` can run. */
  get tools(): ToolRegistry {
    return this.#context.tools
  }

  /**
   * Converts definitions or registered tools for Responses. Functions become flat and always state `strict`; tools of
   * other types stay unchanged; tools that cannot be sent are dropped and reported.
   */
  transformTools(tools: unknown): ResponsesTool[] {
    return withReport(this.#context.options, report => {
      const { written, undo } = transformToolList(tools, this.#context.options, report)
      this.#state().undo = undo
      return written
    })
  }

  /** Converts the function calls among an answer's items to Chat, and tracks them. */
  processFunctionCalls(outputs: unknown): ChatFunctionCall[] {
    const output = requireList(outputs, 'processFunctionCalls', 'the "output" list of an answer')
    return withReport(this.#context.options, reportFull => {
      const report = withPaths(reportFull, path => path.slice(1))
      const { turns, finish } = readAnswer({ output }, this.#reader(), report)
      const calls = this.#record({ turns }, report)
      for (const call of calls.filter(({ form }) => form === 'custom')) {
        const message = `"${call.name}" is a custom tool, so its call is not a function call; use process() to get it.`
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
   * Converts results (Chat messages with the role `tool`) to items for the next request, in their order. Other messages
   * are skipped. A result without a known call is still sent, and reported.
   */
  transformToolResults(messages: unknown): ResultItem<Form>[] {
    const list = requireList(messages, 'transformToolResults', 'a list of messages')
    return withReport(this.#context.options, report =>
      writeResults(list, this.#state().calls, this.#context.form, report),
    )
  }

  /**
   * Runs calls concurrently and returns one result for each, in their order, whatever the tools do. Takes items of
   * Responses, calls of Chat, or `{ id, name, arguments }`. Rejects only if `calls` is not a list or options are wrong.
   */
  async handleParallelTools(calls: unknown, options: RunOptions = {}): Promise<ToolCallResult[]> {
    const list = requireList(calls, 'handleParallelTools', 'a list of calls')
    refuseUnknownOptions('handleParallelTools', options, callOptionNames)
    const { host, tools, options: defaults } = this.#context
    const read = withReport(this.#context.options, report =>
      Array.from(list, (value, i) => this.#readCall(value, i, report)),
    )
    const runnable = read.flatMap(({ call }) => call ?? [])
    const ran = await runCallsWith(host, runnable, { ...defaults, ...options, tools })
    const outcomes = new Map(runnable.map((call, i) => [call, ran[i]]))
    return withReport(this.#context.options, report =>
      read.flatMap(({ call, unread }) => {
        const outcome = call === undefined ? unread : outcomes.get(call)
        return outcome === undefined ? [] : [toCallResult(outcome, call?.id ?? outcome.call.id, report)]
      }),
    )
  }

  /**
   * Converts the body of an answer to one message of Chat with its text and calls. Calls are tracked; losses are
   * reported. Rejects with a `FailedResponseError` if the answer failed.
   */
  async process(response: unknown): Promise<AssistantMessage> {
    const body = requireAnswer(response)
    return withReport(this.#context.options, report => {
      const answer = readAnswer(body, this.#reader(), report)
      if (answer.error !== undefined || answer.finish.reason === 'failed')
        throw new FailedResponseError(answer.error)
      this.#record(answer, report)
      return writeAssistantMessage(answer, this.#context.host.newId, report)
    })
  }

  /** The result item that reports a failed call to the model. Takes any error that has the id of the call. */
  handleFailedToolCall(error: FailedToolCall): ResultItem<Form> {
    const tool_call_id = requireCallId(error)
    const { message, code } = describeError(error)
    const result = { role: 'tool', tool_call_id, content: errorText(message, code) }
    const [item] = this.transformToolResults([result])
    return item as ResultItem<Form>
  }

  /** The recommended number of tokens for an answer that may call these tools. */
  calculateToolTokens(tools: readonly unknown[] | null | undefined, baseTokens: number): number {
    return calculateToolTokens(tools, baseTokens)
  }

  #readCall(value: unknown, index: number, report: Report): ReadCall {
    const { calls: tracked } = this.#state()
    const part = readCallValue(value, index, report)
    if (part === undefined) return { unread: unreadableCall(value, index, this.#context.host.newId('call_')) }
    const call = readCall(part, this.#reader(), report)
    const known = tracked.get(call.id)
    // A program may change the arguments before it runs a call; it is still the same call.
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
}

/** A call to run, or the outcome of a value that is not a call. */
interface ReadCall {
  readonly call?: ToolCall
  readonly unread?: CallOutcome
}
