/** Runs a conversation on one wire, from a request or from where an earlier run stopped. */

import type { ToolOptions } from '../convert/shared/options.ts'
import { checkToolOptions, toolOptionNames } from '../convert/shared/options.ts'
import { type KnownOptions, refuseUnknownOptions } from '../json/known-options.ts'
import type { JsonObject } from '../json/object.ts'
import { compact } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Usage } from '../model/answer.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import { createReport } from '../model/diagnostic.ts'
import type { CallOutcome } from '../runtime/calls/outcome.ts'
import { callOptionNames } from '../runtime/calls/run-options.ts'
import { checkCallOptions, runLoop } from '../runtime/conversation/loop.ts'
import type { LoopOptions, LoopResult, PendingCall, StopReason } from '../runtime/conversation/types.ts'
import type { Host } from '../runtime/host.ts'
import { ToolRegistry } from '../runtime/tools/registry.ts'
import type { ToolSpec } from '../runtime/tools/tool-spec.ts'
import type { WireConversation } from '../wires/define-wire.ts'
import { checkRequest, readRequest } from './read-request.ts'
import type { PendingCallResult } from './resume.ts'
import { resume } from './resume.ts'
import type { Sender } from './send.ts'
import { checkSend } from './send.ts'
import { openSession } from './session.ts'
import type { ConversationState } from './state.ts'
import { checkState, readHistory, writeState } from './state.ts'

interface CommonOptions extends LoopOptions, ToolOptions, Sender {
  /** The program's tools: a `ToolRegistry` or a list. Calls to tools without a handler are returned as pending. */
  readonly tools?: Iterable<ToolSpec>
  /** Whether to request streams. By default the request decides. */
  readonly stream?: boolean
  /**
   * Send only new turns, with the id of the last answer, to a server that stores answers. If the server does not know
   * the answer, the full history is sent from then on.
   */
  readonly onlyNew?: boolean
}

export interface StartOptions<W = WireConversation> extends CommonOptions {
  readonly wire: W
  /**
   * The wire's own body: model, messages or input, instructions, the caller's tools. Never changed. A forced tool
   * choice applies to the first round only.
   */
  readonly request: object
  readonly state?: undefined
  readonly results?: undefined
  readonly input?: undefined
}

export interface ResumeOptions<W = WireConversation> extends CommonOptions {
  /** The wire that the state was saved on. */
  readonly wire?: W
  /** The state that an earlier run returned. */
  readonly state: ConversationState
  /** One result for each call that was pending. */
  readonly results?: readonly PendingCallResult[]
  /** The user's next message, or messages or items in the wire's own form. */
  readonly input?: string | object | readonly object[]
  readonly request?: undefined
}

export type RunConversationOptions<W = WireConversation> = StartOptions<W> | ResumeOptions<W>

/** How a conversation ended, and what was said. */
export interface ConversationResult {
  readonly reason: StopReason
  /** The text of the last answer; after a failure, as far as it was received. */
  readonly text: string
  /** The model's words, if the last answer refused. */
  readonly refusal?: string
  /** The last answer in the wire's own shape. */
  readonly answer?: JsonObject
  /** How the calls of each round of this run ended. */
  readonly outcomes: readonly (readonly CallOutcome[])[]
  /** Calls that wait for the caller's results. */
  readonly pending: readonly PendingCall[]
  /** The tokens of the entire conversation. */
  readonly usage: Usage
  /** The number of answers in the entire conversation. */
  readonly rounds: number
  /** Why it failed: a `ModelError` from the server or the connection, or what a tool threw. */
  readonly error?: Error
  /** Plain JSON. Continue with `runConversation({ state, … })`. */
  readonly state: ConversationState
  readonly diagnostics: readonly Diagnostic[]
}

/** The conversation has an undo of its own. */
const { undo: _, ...callNames } = callOptionNames
const known: KnownOptions<RunConversationOptions> = {
  ...toolOptionNames,
  ...callNames,
  wire: true,
  request: true,
  state: true,
  results: true,
  input: true,
  send: true,
  tools: true,
  stream: true,
  onlyNew: true,
  maxRounds: true,
  maxTokens: true,
  callTimeoutMs: true,
}

export async function runConversationWith(
  host: Host,
  options: RunConversationOptions,
): Promise<ConversationResult> {
  refuseUnknownOptions('runConversation', options, known)
  const { state, codec, request: body } = readStart(options)
  const tools = new ToolRegistry(options.tools)
  checkOptions(options, codec)
  const { report, diagnostics } = createReport()
  const request = readRequest(body, codec, report)
  const begun = state !== undefined && state.rounds > 0
  const history = begun ? readHistory(request.turns, state.fresh) : { settled: [], fresh: request.turns }
  const memory = state?.memory ?? { sendsAll: false }
  const send: Sender['send'] = (body, context) => options.send(body, context)
  const session = openSession(
    { request, history, memory, begun },
    { ...options, codec, host, send, tools: [...tools] },
  )
  if (state !== undefined) resume(session, state, options, codec)
  const before = {
    rounds: state?.rounds ?? 0,
    usage: state?.usage ?? { input: 0, output: 0 },
    truncated: state?.truncated === true,
  }
  const result = await runLoop({ host, session, options, before })
  const { history: finalHistory, memory: finalMemory } = session
  return {
    ...visible(result),
    state: writeState({ codec, request, history: finalHistory, memory: finalMemory, result }),
    diagnostics: distinct([
      ...diagnostics,
      ...session.diagnostics,
      ...result.replies.flatMap(reply => reply.diagnostics),
    ]),
  }
}

function visible(result: LoopResult) {
  const { reason, text, refusal, outcomes, pending, usage, rounds, error, replies } = result
  const answer = replies.at(-1)?.body
  return { reason, text, outcomes, pending, usage, rounds, ...compact({ refusal, error, answer }) }
}

interface Start {
  readonly state?: ConversationState
  readonly codec: WireConversation
  readonly request: JsonObject
}

function readStart(options: RunConversationOptions): Start {
  if (options.state === undefined) {
    for (const name of ['results', 'input'] as const)
      if (options[name] !== undefined) throw new TypeError(`"${name}" goes with "state"; there is none.`)
    return { codec: options.wire, request: checkRequest(options.request) }
  }
  if (options.request !== undefined)
    throw new TypeError(
      '"state" holds the request already; leave "request" out, and pass "input" for what is new.',
    )
  const state = checkState(options.state)
  if (options.wire?.wire !== state.wire)
    throw new TypeError(`"state" was saved on the ${state.wire} wire; give that wire's definition as "wire".`)
  return { state, codec: options.wire, request: state.request }
}

function checkOptions(options: RunConversationOptions, { wire, habits }: WireConversation): void {
  checkToolOptions(options)
  checkSend(options.send)
  checkCallOptions(options)
  atLeastOne('maxRounds', options.maxRounds)
  atLeastOne('maxTokens', options.maxTokens)
  atLeastOne('timeoutMs', options.timeoutMs)
  if (options.onlyNew === true && habits.memory === undefined)
    throw new TypeError(
      `"onlyNew" needs a wire whose servers can store answers; the ${wire} wire has no such field.`,
    )
}

function atLeastOne(name: string, value: unknown): void {
  if (value === undefined || (typeof value === 'number' && value >= 1)) return
  throw new TypeError(`"${name}" must be a number of at least 1; got ${show(value)}.`)
}

/** Removes duplicates, because every round sends the history again and reports the same diagnostics. */
function distinct(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Map(diagnostics.map(each => [JSON.stringify(each), each]))
  return [...seen.values()]
}
