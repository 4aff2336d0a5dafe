/** Cuts a plan to the limits of the request, and writes it on the Chat wire: as one body or as events of a stream. */
import { firstCharacters } from './json.ts'
import type { Plan, PlannedCall } from './plan.ts'
import type { DemoRequest } from './read-request.ts'

export interface Completion {
  /** Unlike the ids of calls, different for every answer to the same request. */
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly plan: Plan
  readonly request: DemoRequest
}

/** Characters in a token: near enough for a model that has no tokenizer. */
const tokenLength = 4

function tokensFor(length: number): number {
  return Math.ceil(length / tokenLength)
}

/** What ends an answer early: stop sequences, the token limit, and `demo-truncate`. */
export function applyLimits(plan: Plan, { stop, maxTokens, behaviour }: DemoRequest): Plan {
  const ends = stop.map(mark => plan.text.indexOf(mark)).filter(at => at >= 0)
  const stopped = {
    ...plan,
    text: plan.text.slice(
      0,
      ends.reduce((first, end) => Math.min(first, end), plan.text.length),
    ),
  }
  const cut = behaviour === 'truncate' ? truncate(stopped) : stopped
  return maxTokens === undefined ? cut : cutAfter(cut, maxTokens)
}

/** Ends within the last call, or within the text when there is none. */
function truncate(plan: Plan): Plan {
  const half = (text: string): string => firstCharacters(text, Math.floor(text.length / 2))
  const last = plan.calls.at(-1)
  if (last === undefined) return { ...plan, text: half(plan.text), finish: 'length' }
  return { ...plan, calls: plan.calls.with(-1, { ...last, input: half(last.input) }), finish: 'length' }
}

function usedTokens({ reasoning, text, refusal, calls }: Plan): { all: number; reasoning: number } {
  const texts = [reasoning, text, refusal, ...calls.flatMap(({ name, input }) => [name, input])]
  const all = texts.reduce((sum, one) => sum + tokensFor(one.length), 0)
  return { all, reasoning: tokensFor(reasoning.length) }
}

function cutAfter(plan: Plan, maxTokens: number): Plan {
  if (usedTokens(plan).all <= maxTokens) return plan
  let left = maxTokens
  const take = (text: string): string => {
    const taken = firstCharacters(text, left * tokenLength)
    left -= tokensFor(taken.length)
    return taken
  }
  const reasoning = take(plan.reasoning)
  const text = take(plan.text)
  const refusal = take(plan.refusal)
  const calls = plan.calls.flatMap(call => {
    // Part of a name would name another tool.
    const isNamed = tokensFor(call.name.length) <= left
    left = isNamed ? left - tokensFor(call.name.length) : 0
    return isNamed ? [{ ...call, input: take(call.input) }] : []
  })
  return { ...plan, reasoning, text, refusal, calls, finish: 'length' }
}

export function completionBody({ plan, request, id, created }: Completion): object {
  return {
    id: `chatcmpl-${id}`,
    created,
    model: request.model,
    object: 'chat.completion',
    choices: [{ index: 0, message: messageOf(plan), logprobs: null, finish_reason: plan.finish }],
    usage: usageOf(plan, request),
  }
}

function messageOf({ reasoning, text, refusal, calls }: Plan): object {
  const legacy = calls.find(({ kind }) => kind === 'legacy')
  return {
    role: 'assistant',
    content: calls.length > 0 || refusal !== '' ? text || null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(legacy !== undefined
      ? { function_call: { name: legacy.name, arguments: legacy.input } }
      : calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  }
}

function toolCall({ kind, id, name, input }: PlannedCall): object {
  return kind === 'custom'
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: input } }
}

function usageOf(plan: Plan, { promptLength }: DemoRequest): object {
  const prompt = tokensFor(promptLength)
  const { all, reasoning } = usedTokens(plan)
  return {
    prompt_tokens: prompt,
    completion_tokens: all,
    total_tokens: prompt + all,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

/** The events of a stream, each with its blank line. */
export function completionEvents({ plan, request, id, created }: Completion, pieceSize: number): string[] {
  const head = { id: `chatcmpl-${id}`, created, model: request.model, object: 'chat.completion.chunk' }
  const event = (body: object): string => `data: ${JSON.stringify({ ...head, ...body })}\n\n`
  const noUsage = request.includesUsage ? { usage: null } : {}
  const chunk = (delta: object, finish: string | null = null): string =>
    event({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...noUsage })
  const calls = plan.calls.map((call, index) => callDeltas(call, index, pieceSize))
  const deltas = [
    { role: 'assistant', content: plan.calls.length > 0 ? null : '', refusal: null },
    ...piecesOf(plan.reasoning, pieceSize).map(reasoning_content => ({ reasoning_content })),
    ...piecesOf(plan.text, pieceSize).map(content => ({ content })),
    ...piecesOf(plan.refusal, pieceSize).map(refusal => ({ refusal })),
    ...(plan.isInterleaved ? interleave(calls) : calls.flat()),
  ]
  return [
    ...deltas.map(delta => chunk(delta)),
    chunk({}, plan.finish),
    ...(request.includesUsage ? [event({ choices: [], usage: usageOf(plan, request) })] : []),
    'data: [DONE]\n\n',
  ]
}

function callDeltas(call: PlannedCall, index: number, pieceSize: number): object[] {
  const pieces = piecesOf(call.input, pieceSize)
  if (call.kind === 'legacy') {
    const more = pieces.map(piece => ({ function_call: { arguments: piece } }))
    return [{ function_call: { name: call.name, arguments: '' } }, ...more]
  }
  const more = pieces.map(piece =>
    call.kind === 'custom' ? { index, custom: { input: piece } } : { index, function: { arguments: piece } },
  )
  const deltas = [{ index, ...toolCall({ ...call, input: '' }) }, ...more]
  return deltas.map(delta => ({ tool_calls: [delta] }))
}

/** One of each list in turn. */
function interleave<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(list => list.length))
  return Array.from({ length: longest }, (_, i) => lists.flatMap(list => list.slice(i, i + 1))).flat()
}

/** The text in pieces of `size` characters; a character outside the basic plane is never split. */
function piecesOf(text: string, size: number): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const piece = firstCharacters(text.slice(at, at + size + 1), size) || text.slice(at, at + 2)
    pieces.push(piece)
    at += piece.length
  }
  return pieces
}
