/** Counts the tokens of a request: exactly where that is quick, otherwise by estimates that are linear in its length. */
import type { WireDefinition } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import type { TokenCounter } from '@toolwire/core/tokens'
import { counterForModel, countRequest, estimateCounter } from '@toolwire/core/tokens'
import type { Item } from '../../store/store.ts'
import { assembleState } from '../responses-api/state.ts'
import type { FoundState, TokenCount } from '../workers/protocol.ts'

interface CountOptions {
  readonly wire: WireDefinition
  readonly model: string
  /** It is counted in a worker thread, where nobody else waits. */
  readonly isOffLoop: boolean
}

/** A tokenizer takes up to 10 µs for a character, an estimate 0.2 µs. */
const longestExact = { onLoop: 4 * 1024, offLoop: 1024 * 1024 }
const longestEstimate = { onLoop: 128 * 1024, offLoop: 64 * 1024 * 1024 }
const bytesPerToken = 4

interface Countable {
  readonly body: JsonObject
  readonly bytes: number
  /** What the request continues. */
  readonly history: readonly Item[]
}

export async function countTokensOf(
  { body: given, bytes: own, history }: Countable,
  { wire, model, isOffLoop }: CountOptions,
): Promise<TokenCount> {
  const place = isOffLoop ? 'offLoop' : 'onLoop'
  const bytes = history.reduce((sum, { json }) => sum + json.length, own)
  if (bytes > longestEstimate[place]) {
    return {
      total: Math.ceil(bytes / bytesPerToken),
      method: `${bytesPerToken} bytes a token, for its length`,
    }
  }
  const body = history.length === 0 ? given : assembleState(given, foundIn(history), () => '').body
  const { total, method } = countRequest(body, {
    wire,
    counter: await counterOf(model, bytes > longestExact[place]),
  })
  return { total, method }
}

function foundIn(history: readonly Item[]): FoundState {
  return { history, isStored: false, isKept: false }
}

/** The tokenizer is large, and not everybody installs it. */
const withoutTokenizer: TokenCounter = {
  ...estimateCounter,
  method: `${estimateCounter.method}, as gpt-tokenizer is not installed`,
}

async function counterOf(model: string, isLong: boolean): Promise<TokenCounter> {
  const counter = await counterForModel(model).catch(() => withoutTokenizer)
  if (!isLong || counter.encoding === undefined) return counter
  return { ...estimateCounter, method: `${estimateCounter.method}, for its length` }
}
