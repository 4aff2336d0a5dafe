/**
 * Most events of a stream repeat the one before them but for a single text. Such an event is recognised by its letters,
 * so that nothing but its text has to be read.
 */
import type { SseFrame } from '../sse/sse-parser.ts'

export interface RepeatedText {
  /** Whether the event repeats the one that was learnt; then its text has been told. */
  tell(frame: SseFrame): boolean
  /**
   * All that is new in this event is the text of the field `key`, and `take` is all that is done with it. Everything
   * else in it must mean the same when it is said again.
   */
  learn(frame: SseFrame, key: string, take: (text: string) => void): void
}

interface Learnt {
  readonly event: string | undefined
  readonly before: string
  readonly after: string
  readonly take: (text: string) => void
}

/** Where events never repeat, such as those with a number in each, there is nothing to be won by trying. */
const mostVainLessons = 32

export function createRepeatedText(): RepeatedText {
  let learnt: Learnt | undefined
  let vain = 0
  return {
    tell({ event, data }) {
      if (learnt === undefined || learnt.event !== event) return false
      const { before, after, take } = learnt
      if (data.length < before.length + after.length) return false
      if (!data.startsWith(before) || !data.endsWith(after)) return false
      const text = textOf(data.slice(before.length, data.length - after.length))
      if (text === undefined) return false
      vain = 0
      take(text)
      return true
    },
    learn({ event, data }, key, take) {
      learnt = undefined
      if (vain >= mostVainLessons) return
      vain++
      const start = startOfText(data, key)
      const end = start === undefined ? -1 : endOfText(data, start)
      if (start === undefined || end < 0) return
      learnt = { event, before: data.slice(0, start), after: data.slice(end), take }
    },
  }
}

/** After the opening quote of the value, if the key stands in the text once. */
function startOfText(data: string, key: string): number | undefined {
  const name = `"${key}"`
  const at = data.indexOf(name)
  if (at < 0 || data.indexOf(name, at + 1) >= 0) return undefined
  const value = /\s*:\s*"/y
  value.lastIndex = at + name.length
  return value.test(data) ? value.lastIndex : undefined
}

/** The closing quote. */
function endOfText(data: string, start: number): number {
  let end = data.indexOf('"', start)
  while (end >= 0) {
    let escapes = 0
    while (data[end - 1 - escapes] === '\\') escapes++
    if (escapes % 2 === 0) return end
    end = data.indexOf('"', end + 1)
  }
  return -1
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON does not take unescaped
const isPlain = /^[^"\\\u0000-\u001f]*$/

/** The text between two quotes; nothing when a quote in it shows that there was more than the text. */
function textOf(body: string): string | undefined {
  if (isPlain.test(body)) return body
  try {
    const value: unknown = JSON.parse(`"${body}"`)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
