/** A plan on the wire: whole, or as the events of a stream. */
import { piecesOf, tokensFor, usedTokens } from './limits.ts'
import type { Plan, PlannedCall } from './plan.ts'
import type { DemoRequest } from './read-request.ts'

interface Heading {
  readonly id: string
  readonly created: number
  readonly model: string
}

export interface Saying {
  /** Of this answer alone, however often the same is asked. */
  readonly id: string
  readonly plan: Plan
  readonly request: DemoRequest
  /** Seconds since 1970. */
  readonly created: number
}

export function wholeAnswer({ plan, request, ...heading }: Saying): object {
  return {
    ...headingOf(request, heading),
    object: 'chat.completion',
    choices: [{ index: 0, message: messageOf(plan), logprobs: null, finish_reason: plan.finish }],
    usage: usageOf(plan, request),
  }
}

function headingOf({ model }: DemoRequest, { id, created }: Pick<Heading, 'id' | 'created'>): Heading {
  return { id: `chatcmpl-${id}`, created, model }
}

function messageOf({ reasoning, text, refusal, calls }: Plan): object {
  const [legacy] = calls.filter(({ kind }) => kind === 'legacy')
  return {
    role: 'assistant',
    content: calls.length > 0 || refusal !== '' ? text || null : text,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(legacy !== undefined
      ? { function_call: { name: legacy.name, arguments: legacy.input } }
      : calls.length > 0 && { tool_calls: calls.map(wholeCall) }),
  }
}

function wholeCall({ kind, id, name, input }: PlannedCall): object {
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
export function streamedAnswer({ plan, request, ...answer }: Saying, pieceSize: number): string[] {
  const heading = { ...headingOf(request, answer), object: 'chat.completion.chunk' }
  const write = (body: object): string => `data: ${JSON.stringify({ ...heading, ...body })}\n\n`
  const quiet = request.includesUsage ? { usage: null } : {}
  const chunk = (delta: object, finish: string | null = null): string =>
    write({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...quiet })
  const calls = plan.calls.map((call, index) => callDeltas(call, index, pieceSize))
  const deltas = [
    { role: 'assistant', content: plan.calls.length > 0 ? null : '', refusal: null },
    ...piecesOf(plan.reasoning, pieceSize).map(reasoning_content => ({ reasoning_content })),
    ...piecesOf(plan.text, pieceSize).map(content => ({ content })),
    ...piecesOf(plan.refusal, pieceSize).map(refusal => ({ refusal })),
    ...(plan.isInterleaved ? interleaved(calls) : calls.flat()),
  ]
  return [
    ...deltas.map(delta => chunk(delta)),
    chunk({}, plan.finish),
    ...(request.includesUsage ? [write({ choices: [], usage: usageOf(plan, request) })] : []),
    'data: [DONE]\n\n',
  ]
}

function callDeltas({ kind, id, name, input }: PlannedCall, index: number, pieceSize: number): object[] {
  const pieces = piecesOf(input, pieceSize)
  if (kind === 'legacy')
    return [
      { function_call: { name, arguments: '' } },
      ...pieces.map(piece => ({ function_call: { arguments: piece } })),
    ]
  const isCustom = kind === 'custom'
  const first = isCustom
    ? { index, id, type: 'custom', custom: { name, input: '' } }
    : { index, id, type: 'function', function: { name, arguments: '' } }
  const more = pieces.map(piece =>
    isCustom ? { index, custom: { input: piece } } : { index, function: { arguments: piece } },
  )
  return [first, ...more].map(call => ({ tool_calls: [call] }))
}

/** One of each in turn, so that calls grow side by side. */
function interleaved<T>(lanes: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lanes.map(lane => lane.length))
  return Array.from({ length: longest }, (_, i) => lanes.flatMap(lane => lane.slice(i, i + 1))).flat()
}
