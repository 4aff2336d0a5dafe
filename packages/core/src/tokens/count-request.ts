/** The tokens of a request, part by part. The wire's codec decodes the body, so that one count serves all wires. */

import { isObject, type JsonObject, own } from '../json/object.ts'
import { show } from '../json/text.ts'
import type { Part, Turn } from '../model/conversation.ts'
import { createReport } from '../model/diagnostic.ts'
import type { Request } from '../model/request.ts'
import {
  type CountOptions,
  codecFor,
  createTally,
  jsonText,
  type Tally,
  type TokenCount,
} from './count-result.ts'
import { countToolParams, overhead } from './count-tools.ts'
import { countTurn, parallelTokens, type TurnContext } from './count-turn.ts'

/**
 * Counts the tokens of a whole request, tool by tool and message by message.
 *
 * @example
 * ```js
 * import { countRequest, estimateCounter } from '@toolwire/core/tokens'
 *
 * const request = { model: 'qwen3', messages: [{ role: 'user', content: 'How is the weather?' }] }
 * const { total, errorBound, parts } = countRequest(request, { wire: 'chat', counter: estimateCounter })
 * console.log(total, errorBound.percent, parts.length)
 * ```
 */
export function countRequest(body: unknown, options: CountOptions): TokenCount {
  const codec = codecFor(options)
  const { report, diagnostics } = createReport()
  const tally = createTally(options, codec, diagnostics)
  if (!isObject(body)) {
    const hint = Array.isArray(body) ? ' For a list of tools there is countTools.' : ''
    report('invalid_request', [], `A request body must be an object; this is ${show(body)}.${hint}`)
    return tally.result()
  }
  const request = codec.decodeRequest(body, report)
  const model = options.model ?? request.model
  countTurns(request, body, model, tally)
  const hasSystem = request.turns.some(isSystem)
  countToolParams(request.tools, model, hasSystem, tally)
  countFormat(request, tally)
  tally.add(overhead('the beginning of the answer', codec.framing.reply))
  noteServerState(body, tally)
  return tally.result()
}

function countTurns(request: Request, body: JsonObject, model: string | undefined, tally: Tally): void {
  const { turns, tools } = request
  const { counter, framing, uncounted } = tally
  const context: TurnContext = { counter, framing, model, callNames: callNamesOf(turns), uncounted }
  const hasTools = (tools.tools ?? []).length + (tools.additionalTools ?? []).length > 0
  const shared = hasTools && framing.tools === 'namespace' ? turns.find(isSystem) : undefined
  let callsInRow = 0
  for (const turn of turns) {
    const name = speakerOf(turn, body)
    const frame = { endsLine: turn === shared, ...(name !== undefined && { name }) }
    let tokens = countTurn(turn, context, frame)
    callsInRow = isCallItem(turn) ? callsInRow + 1 : 0
    if (callsInRow > 1) tokens += besideTokens(callsInRow, turn, tally)
    tally.add({
      path: [...turn.root],
      kind: turn.instructions === true ? 'instructions' : framing.entry,
      label: labelOf(turn, context),
      tokens,
    })
  }
}

/** A call as an item of its own. Several in a row are the calls of one message. */
function isCallItem({ parts }: Turn): boolean {
  return parts.length === 1 && parts[0]?.kind === 'call'
}

/** What a call costs beside `calls - 1` others; the frame of a message has been paid with the first. */
function besideTokens(calls: number, { role }: Turn, { counter, framing }: Tally): number {
  const frame = framing.perMessage + (framing.countsRole ? counter.count(role) : 0)
  return parallelTokens(calls, framing) - parallelTokens(calls - 1, framing) - frame
}

function isSystem({ role }: Turn): boolean {
  return role === 'system' || role === 'developer'
}

/** `assistant, calls search, read`; `result of search`. */
function labelOf({ role, parts, instructions }: Turn, { callNames }: TurnContext): string {
  if (instructions === true) return 'instructions'
  const results = parts.flatMap(part => (part.kind === 'result' ? [part] : []))
  const calls = parts.flatMap(part => (part.kind === 'call' ? [part.name] : []))
  const of = results.map(({ name, callId }) => name ?? callNames.get(callId ?? '') ?? 'an unknown call')
  const said = [
    ...(results.length > 0 ? [`result of ${of.join(', ')}`] : []),
    ...(results.length < parts.length - calls.length || parts.length === 0 ? [kindWord(role, parts)] : []),
    ...(calls.length > 0 ? [`calls ${calls.join(', ')}`] : []),
  ]
  return said.join(', ')
}

/** An item that is nothing but reasoning, or a call of a hosted tool, is called that. */
function kindWord(role: string, parts: readonly Part[]): string {
  const [only] = parts
  if (parts.length !== 1) return role
  if (only?.kind === 'reasoning') return 'reasoning'
  return only?.kind === 'hosted' ? only.type : role
}

function callNamesOf(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>()
  for (const { parts } of turns) {
    for (const part of parts) if (part.kind === 'call' && part.id !== undefined) names.set(part.id, part.name)
  }
  return names
}

/** A message may carry the name of its speaker; on a result the same field is the tool's name. */
function speakerOf({ root, parts }: Turn, body: JsonObject): string | undefined {
  const [list, index] = root
  if (typeof list !== 'string' || typeof index !== 'number') return undefined
  if (parts.some(part => part.kind === 'result' || part.kind === 'call' || part.kind === 'hosted'))
    return undefined
  const entries = own(body, list)
  const entry: unknown = Array.isArray(entries) ? entries[index] : undefined
  const name = isObject(entry) ? own(entry, 'name') : undefined
  return typeof name === 'string' ? name : undefined
}

function countFormat({ settings }: Request, tally: Tally): void {
  const { format } = settings
  if (format?.value.type !== 'json_schema') return
  const { text } = jsonText(format.value.schema)
  tally.add(overhead('the output format', tally.counter.count(text), format.path))
}

/** Earlier turns and prompts that the server adds itself. */
function noteServerState(body: JsonObject, tally: Tally): void {
  for (const key of ['previous_response_id', 'conversation', 'prompt', 'container', 'mcp_servers']) {
    const value = own(body, key)
    if (value !== undefined && value !== null) tally.uncounted([key], 'what the server keeps under it')
  }
}
