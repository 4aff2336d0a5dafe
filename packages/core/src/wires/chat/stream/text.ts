/**
 * What a streamed message says, refuses and thinks. One of them is spoken at a time: when another begins, the one
 * before is at its end, and should it be taken up again, that is a part of its own.
 */

import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { decodePart } from '../parts.ts'
import { decodeMessage } from '../request/turns.ts'
import type { PartSequence } from './part-tracker.ts'

export type SpeechKey = 'content' | 'refusal' | 'reasoning_content' | 'reasoning'

export interface StreamSpeech {
  read(delta: JsonObject): void
  /** More of one text. */
  say(key: SpeechKey, text: string): void
  /** Probabilities of the tokens of the text. */
  addLogprobs(list: readonly unknown[]): void
  /** Another part begins. */
  close(): void
  /** What belonged to a text when there was none, by its place in the message or choice. */
  leftovers(): { readonly annotations?: unknown[]; readonly logprobs?: unknown[] }
}

export function createStreamSpeech(message: Path, sequence: PartSequence, report: Report): StreamSpeech {
  let spoken: { readonly key: SpeechKey; readonly index: number; readonly pieces: string[] } | undefined
  let annotations: unknown[] = []
  let logprobs: unknown[] = []

  const whole = (key: SpeechKey, pieces: readonly string[]): Part => {
    const text = pieces.join('')
    if (key === 'refusal') return { kind: 'refusal', text, path: [...message, key] }
    if (key !== 'content') return { kind: 'reasoning', summary: [], text: [text], path: [...message, key] }
    const read = decodeMessage({ content: text, annotations }, 'assistant', message, report)
    const part = read.parts.find(part => part.kind === 'text')
    if (part?.citations !== undefined) annotations = []
    const given = logprobs
    logprobs = []
    const base = part ?? { kind: 'text', text, path: [...message, key] }
    return given.length === 0 ? base : { ...base, logprobs: given }
  }

  const close = (): void => {
    if (spoken !== undefined) sequence.end(spoken.index)
    spoken = undefined
  }

  const say = (key: SpeechKey, text: string): void => {
    if (text === '') return
    if (spoken?.key !== key) {
      close()
      const pieces: string[] = []
      const index = sequence.start(emptyPart(key, message), () => whole(key, pieces))
      spoken = { key, index, pieces }
    }
    spoken.pieces.push(text)
    sequence.delta(spoken.index, text)
  }

  const readList = (list: readonly unknown[]): void => {
    list.forEach((value, i) => {
      const part = decodePart(value, [...message, 'content', i], report)
      if (part.kind === 'text') say('content', part.text)
      else if (part.kind === 'refusal') say('refusal', part.text)
      else {
        close()
        sequence.end(sequence.start(part, () => part))
      }
    })
  }

  return {
    say,
    read(delta) {
      const thought = own(delta, 'reasoning_content')
      const alias = own(delta, 'reasoning')
      if (typeof thought === 'string') say('reasoning_content', thought)
      // Where both stand, they say the same.
      if (typeof alias === 'string' && alias !== thought) say('reasoning', alias)
      const content = own(delta, 'content')
      if (typeof content === 'string') say('content', content)
      else if (Array.isArray(content)) readList(content)
      const refusal = own(delta, 'refusal')
      if (typeof refusal === 'string') say('refusal', refusal)
      const cited = own(delta, 'annotations')
      if (Array.isArray(cited)) for (const item of cited) annotations.push(item)
    },
    addLogprobs(list) {
      for (const item of list) logprobs.push(item)
    },
    close,
    leftovers: () => ({
      ...(annotations.length > 0 && { annotations }),
      ...(logprobs.length > 0 && { logprobs }),
    }),
  }
}

function emptyPart(key: SpeechKey, message: Path): Part {
  const path = [...message, key]
  if (key === 'content') return { kind: 'text', text: '', path }
  if (key === 'refusal') return { kind: 'refusal', text: '', path }
  return { kind: 'reasoning', summary: [], text: [], path }
}
