/**
 * Chat's chunks to events. The wire marks the end of nothing but the whole: a part ends when another begins or
 * with the stream, and the end waits for `[DONE]`, because usage comes after the finish reason.
 */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import type { ApiError, Usage } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../../model/residue.ts'
import { finishEvent, startEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { StreamDecoder } from '../../define-wire.ts'
import { createRepeatedDelta } from '../../fast-path/repeated-delta.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeErrorAnswer } from '../answer/errors.ts'
import { decodeFinishReason, isCutShort } from '../answer/finish.ts'
import { decodeUsage } from '../answer/usage.ts'
import { chatResidue } from '../residue.ts'
import { createStreamCalls } from './calls.ts'
import { createPartSequence } from './part-tracker.ts'
import { createStreamLeftovers } from './residue.ts'
import { newsOf } from './simple-delta.ts'
import { createStreamSpeech } from './text.ts'

const messagePath = ['choices', 0, 'message'] as const

export function createStreamDecoder(report: Report): StreamDecoder {
  const repeated = createRepeatedDelta()
  const sequence = createPartSequence(repeated)
  const speech = createStreamSpeech(messagePath, sequence, report)
  const calls = createStreamCalls(
    { message: messagePath, sequence, beforeStart: () => speech.close() },
    report,
  )
  const leftovers = createStreamLeftovers()
  const refusalLogprobs: unknown[] = []
  const otherChoices = new Set<unknown>()
  let frames = 0
  let isStarted = false
  let isOver = false
  let choiceIndex: unknown
  let raw: string | undefined
  let usage: Usage | undefined

  const start = (chunk: JsonObject = {}): void => {
    if (isStarted) return
    isStarted = true
    const created = own(chunk, 'created')
    const createdAt = typeof created === 'number' && created > 0 ? created : undefined
    sequence.emit(startEvent(textOf(chunk, 'id'), textOf(chunk, 'model'), createdAt))
  }

  const fail = (error: ApiError): void => {
    start()
    isOver = true
    calls.flush()
    sequence.endAll(parts => parts.map(cut))
    sequence.emit({ type: 'error', error })
  }

  const finish = (): void => {
    // Without a reason the server has still said, by `[DONE]`, that this was all.
    const word = raw ?? 'stop'
    let reason = decodeFinishReason(word, [])
    if (reason === 'failed') {
      fail({ kind: 'server', message: unexplained })
      return
    }
    start()
    isOver = true
    calls.flush()
    sequence.endAll(parts => {
      reason = decodeFinishReason(word, parts)
      if (!isCutShort(reason)) return parts
      const unfinished = calls.unfinished()
      return parts.map((part, i) => (unfinished.has(i) ? cut(part) : part))
    })
    sequence.emit(finishEvent(raw === undefined ? { reason } : { reason, raw }, usage, residue()))
  }

  const residue = (): Residue => {
    const { annotations, logprobs } = speech.leftovers()
    const entries: ResidueEntry[] = leftovers.entries()
    if (annotations) entries.push([[...messagePath, 'annotations'], annotations])
    if (logprobs) entries.push([['choices', 0, 'logprobs', 'content'], logprobs])
    if (refusalLogprobs.length > 0) entries.push([['choices', 0, 'logprobs', 'refusal'], refusalLogprobs])
    return chatResidue.create([], entries, [
      [['object'], 'chat.completion'],
      [['choices', 0, 'index'], 0],
    ])
  }

  const readLogprobs = (choice: JsonObject): void => {
    const given = own(choice, 'logprobs')
    if (!isObject(given)) return
    const content = own(given, 'content')
    const refusal = own(given, 'refusal')
    if (Array.isArray(content)) speech.addLogprobs(content)
    if (Array.isArray(refusal)) for (const item of refusal) refusalLogprobs.push(item)
  }

  /** Some servers end with the whole message; it counts only where no piece of it has been heard. */
  const deltaOf = (choice: JsonObject): JsonObject | undefined => {
    const delta = own(choice, 'delta')
    if (isObject(delta)) return delta
    const message = own(choice, 'message')
    return isObject(message) && sequence.count === 0 ? message : undefined
  }

  const readCalls = (list: readonly unknown[]): boolean => calls.read(list) || failUnclear()

  const readArguments = (index: number | undefined, text: string): boolean =>
    calls.readArguments(index, text) || failUnclear()

  const failUnclear = (): false => {
    const message = `Event ${frames} goes on with a call and does not say which; two share its index.`
    fail({ kind: 'server', message })
    return false
  }

  const readChoice = (choice: JsonObject): void => {
    const delta = deltaOf(choice)
    if (delta !== undefined) {
      speech.read(delta)
      leftovers.readDelta(delta)
      const list = own(delta, 'tool_calls')
      if (Array.isArray(list) && !readCalls(list)) return
      const single = own(delta, 'function_call')
      if (isObject(single)) calls.readFunctionCall(single)
    }
    readLogprobs(choice)
    leftovers.readChoice(choice)
    const reason = textOf(choice, 'finish_reason')
    // A second reason takes back nothing: only that the answer was cut is worth more than what was said first.
    if (reason !== undefined && (raw === undefined || isCut(reason))) raw = reason
    usage = decodeUsage(own(choice, 'usage'), ['usage']) ?? usage
    const failure = readFailure(choice)
    if (failure !== undefined) failWith(failure)
  }

  const failWith = ({ error, residue }: Failure): void => {
    reportResidue(residue, report)
    fail(error)
  }

  const isAnswer = (choice: JsonObject): boolean => {
    const index = own(choice, 'index') ?? choiceIndex
    choiceIndex ??= index
    if (index === choiceIndex) return true
    if (!otherChoices.has(index)) {
      otherChoices.add(index)
      const at = typeof index === 'number' ? index : 1
      report('field_dropped', ['choices', at], 'Only one choice of a stream is read; this one was left out.')
    }
    return false
  }

  const readChunk = (chunk: JsonObject): void => {
    const list = own(chunk, 'choices')
    const choices = Array.isArray(list) ? list.filter(isObject) : []
    // The first chunk of some servers tells of filters and has no name yet.
    if (choices.length > 0 || textOf(chunk, 'id') !== undefined) start(chunk)
    leftovers.readChunk(chunk)
    usage = decodeUsage(own(chunk, 'usage'), ['usage']) ?? usage
    for (const choice of choices) if (!isOver && isAnswer(choice)) readChoice(choice)
  }

  const read = ({ event, data }: SseFrame): void => {
    const word = data.length < 16 ? data.trim() : data
    if (word === '') return
    const value = word === '[DONE]' ? undefined : parseJson(data)
    if (word === '[DONE]') done()
    else if (event === 'error') failWith(failureOf(value, data))
    else if (value === undefined) {
      fail({ kind: 'server', message: `Event ${frames} of the stream is not valid JSON.` })
    } else if (isObject(value)) {
      readObject(value)
      learn(value, event === undefined ? { data } : { data, event })
    }
  }

  const learn = (chunk: JsonObject, frame: SseFrame): void => {
    const news = isOver || otherChoices.size > 0 ? undefined : newsOf(chunk)
    if (news === undefined || idleEvents.has(frame.event)) return
    if (news.kind === 'speech')
      repeated.learn(frame, news.key, text => speech.say(news.key, text), news.passing)
    else repeated.learn(frame, news.key, text => readArguments(news.index, text), news.passing)
  }

  const readObject = (value: JsonObject): void => {
    const failure = readFailure(value)
    // What an error came with was said before it.
    if (own(value, 'object') !== 'error') readChunk(value)
    if (failure !== undefined && !isOver) failWith(failure)
  }

  const done = (): void => {
    const isWhole = raw !== undefined || (sequence.count > 0 && calls.areWhole())
    if (isWhole) finish()
    else fail(endedEarly)
  }

  return {
    push(frame) {
      if (isOver) return []
      frames++
      if (!repeated.tell(frame)) read(frame)
      return sequence.take()
    },
    tryFastEvent(stream, start) {
      if (isOver) return -1
      // An event that fails may name its number.
      frames++
      const end = repeated.tryFastEvent(stream, start)
      if (end < 0) frames--
      return end
    },
    takeEvents: () => sequence.take(),
    end() {
      if (isOver) return []
      if (raw === undefined) fail(endedEarly)
      else finish()
      return sequence.take()
    },
  }
}

/** Events that keep the connection alive, whatever they hold, are no news. */
const idleEvents: ReadonlySet<unknown> = new Set(['ping', 'keepalive'])

const endedEarly: ApiError = { kind: 'server', message: 'The stream ended before the answer was finished.' }

function cut(part: Part): Part {
  return part.kind === 'call' ? { ...part, status: 'incomplete' } : part
}

function isCut(reason: string): boolean {
  return ['length', 'filter', 'failed'].includes(decodeFinishReason(reason, []))
}

interface Failure {
  readonly error: ApiError
  readonly residue?: Residue
}

/** The error that a chunk or choice holds. An empty one is how some servers say that there is none. */
function readFailure(holder: JsonObject): Failure | undefined {
  if (own(holder, 'object') === 'error') return failureOf(holder, '')
  const error = own(holder, 'error')
  const holds = isObject(error) ? Object.keys(error).length > 0 : typeof error === 'string' && error !== ''
  return holds ? failureOf({ error }, '') : undefined
}

function failureOf(value: unknown, text: string): Failure {
  if (isObject(value)) {
    const answer = decodeErrorAnswer(value) ?? decodeErrorAnswer({ error: value })
    if (answer?.error !== undefined) {
      const { error, residue } = answer
      return {
        error: error.message.trim() === '' ? { ...error, message: unexplained } : error,
        ...compact({ residue }),
      }
    }
  }
  const said = typeof value === 'string' ? value : value === undefined ? text : ''
  return { error: { kind: 'server', message: said.trim() === '' ? unexplained : said } }
}

const unexplained = 'The model failed while answering and did not say why.'

function textOf(holder: JsonObject, key: string): string | undefined {
  const value = own(holder, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
