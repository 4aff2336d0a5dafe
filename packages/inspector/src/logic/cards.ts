/** What was said as blocks to draw: each call with its result, neighbours of one speaker together. */
import type { Said } from '../../../toolwire/src/reading/said.ts'

export interface CallCard {
  readonly kind: 'call'
  readonly call: Said
  readonly result: Said | undefined
  readonly ms: number | undefined
}

interface SaidBlock {
  readonly kind: 'said'
  readonly said: Said
  /** What the same speaker says in the same message. */
  readonly more: readonly Said[]
}

export type Block = CallCard | SaidBlock

interface Run {
  readonly call_id: string
  readonly duration_ms: number
}

/** `runs`: the tools that the gateway ran; `clientMs`: how long the client took for its own. */
export function blocksOf(
  said: readonly Said[],
  runs: readonly Run[],
  clientMs: ReadonlyMap<Said, number> = new Map(),
): Block[] {
  const results = new Map<string, Said>()
  for (const each of said)
    if (each.who === 'result' && each.callId !== undefined) results.set(each.callId, each)
  const durations = new Map(runs.map(({ call_id, duration_ms }) => [call_id, duration_ms]))
  const used = new Set<Said>()
  const blocks: Block[] = []
  let open: { readonly said: Said; readonly more: Said[] } | undefined
  for (const each of said) {
    if (each.who === 'call') {
      const result = each.callId === undefined ? undefined : results.get(each.callId)
      if (result !== undefined) used.add(result)
      const ms = durations.get(each.callId ?? '') ?? clientMs.get(each)
      blocks.push({ kind: 'call', call: each, result, ms })
      open = undefined
    } else if (each.who !== 'result' || !used.has(each)) {
      if (open !== undefined && areTogether(open.said, each)) open.more.push(each)
      else {
        open = { said: each, more: [] }
        blocks.push({ kind: 'said', ...open })
      }
    }
  }
  return blocks
}

const joined: ReadonlySet<Said['who']> = new Set(['user', 'assistant', 'system'])

/** Texts and pictures of one message: the second step of a path tells them from those of the next. */
function areTogether(a: Said, b: Said): boolean {
  const [messages, at] = a.path ?? []
  return (
    a.who === b.who && joined.has(a.who) && at !== undefined && b.path?.[0] === messages && b.path?.[1] === at
  )
}

interface Answered {
  readonly time: string
  readonly total_ms?: number | undefined
  readonly client_calls: number
  readonly tool_runs: number
}

/**
 * How long a client took for each call: from the end of the answer with the call to the request with its result. `chain`: the
 * exchanges until this one, the newest first; the last calls of a history are those of the last answers.
 */
export function clientTimes(
  history: readonly Said[],
  runs: readonly Run[],
  chain: readonly Answered[],
): ReadonlyMap<Said, number> {
  const own = new Set(runs.map(({ call_id }) => call_id))
  const calls = history.filter(
    ({ who, callId }) => who === 'call' && callId !== undefined && !own.has(callId),
  )
  const times = new Map<Said, number>()
  for (let i = 1; i < chain.length; i++) {
    const [next, { time, total_ms: total = 0, client_calls: count, tool_runs: run }] = [
      chain[i - 1] as Answered,
      chain[i] as Answered,
    ]
    // Calls that the gateway ran are in no history of the client.
    if (run > 0 || count > calls.length) break
    const ms = Date.parse(next.time) - Date.parse(time) - total
    for (const call of calls.splice(calls.length - count, count)) if (ms >= 0) times.set(call, ms)
  }
  return times
}

/** Who says what every request says again, or what a client need not send back. */
const isPassing = ({ who }: Said): boolean => who === 'system' || who === 'thinking'

/** What of a history the exchange before had already, whatever it is repeated as. */
export function toldBefore(history: readonly Said[], previous: readonly Said[]): ReadonlySet<Said> {
  const told = new Set<Said>()
  const known = previous.filter(each => !isPassing(each))
  if (known.length === 0) return told
  let at = 0
  for (const each of history) {
    if (!isPassing(each)) {
      const before = known[at++]
      if (before === undefined || !isSame(each, before)) break
    }
    told.add(each)
  }
  return told
}

function isSame(a: Said, b: Said): boolean {
  if (a.who !== b.who) return false
  // Clients write arguments in their own way.
  return a.callId !== undefined && b.callId !== undefined ? a.callId === b.callId : a.text === b.text
}

/** What was said before a request and with it: the instructions first, of whichever they are. */
export function inOrder(before: readonly Said[], history: readonly Said[]): Said[] {
  const first = history.findIndex(({ who }) => who !== 'system')
  const end = first === -1 ? history.length : first
  return [...history.slice(0, end), ...before, ...history.slice(end)]
}

/** How many of the first blocks say nothing new. */
export function earlierBlocks(blocks: readonly Block[], told: ReadonlySet<Said>): number {
  const isNew = (said: Said | undefined): boolean =>
    said !== undefined && said.who !== 'system' && !told.has(said)
  const end = blocks.findIndex(block =>
    block.kind === 'call' ? isNew(block.call) || isNew(block.result) : isNew(block.said),
  )
  return end === -1 ? blocks.length : end
}

const endings: { readonly [finish: string]: string } = {
  length: 'The answer was cut off at its limit of tokens.',
  filter: 'A content filter ended the answer.',
  refusal: 'The model refused to answer.',
  pause: 'The provider paused here; the client has to send another request for the rest.',
  cancelled: 'The answer was cancelled.',
}

interface Ended {
  readonly state: 'running' | 'ended'
  readonly finish?: string | undefined
}

/** How an answer ended, where its words do not tell. `answer`: `undefined` where it cannot be read. */
export function endingOf(
  { state, finish = '' }: Ended,
  answer: readonly Said[] | undefined,
): string | undefined {
  if (state === 'running') return undefined
  if (finish === 'refusal' && answer?.some(({ who }) => who === 'refusal')) return undefined
  return endings[finish] ?? (finish === 'stop' && answer?.length === 0 ? 'The answer is empty.' : undefined)
}

/** Arguments as people read them: JSON by lines, anything else as it is. */
export function prettyArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}
