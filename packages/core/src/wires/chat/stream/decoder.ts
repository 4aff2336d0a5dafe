/**
 * Chat's chunks to events. The wire marks no end of a part: a part ends when another begins or with the stream. The
 * finish is emitted at `[DONE]`, because usage comes after the finish reason.
 */

import type { JsonObject } from '../../../json/object.ts'
import { compact, isObject, own } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import type { ApiError, ServedTier, Usage } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Residue, ResidueEntry } from '../../../model/residue.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { finishEvent, startEvent } from '../../../model/stream-event.ts'
import type { SseFrame } from '../../../sse/sse-parser.ts'
import type { StreamDecoder, StreamDecoderOptions } from '../../define-wire.ts'
import { createEventDrop } from '../../kit/conversation/unknown-events.ts'
import { reasonOfWord, reportFinish } from '../../kit/finish-words.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodeErrorAnswer } from '../answer/errors.ts'
import { decodeFinishReason, isCutShort } from '../answer/finish.ts'
import { decodeUsage } from '../answer/usage.ts'
import { chatResidue } from '../residue.ts'
import { StreamCalls, textOf } from './calls.ts'
import { PartTracker } from './part-tracker.ts'
import { StreamResidue } from './residue.ts'
import type { SimpleDelta } from './simple-delta.ts'
import { readSimpleDelta } from './simple-delta.ts'
import { StreamText } from './text.ts'

const messagePath = ['choices', 0, 'message'] as const

export class ChatStreamDecoder implements StreamDecoder {
  repeats: SimpleDelta | undefined
  readonly #report: Report
  readonly #skipMalformed: boolean
  readonly #parts = new PartTracker()
  readonly #text: StreamText
  readonly #calls: StreamCalls
  readonly #unknown = new StreamResidue()
  readonly #drop: ReturnType<typeof createEventDrop>
  readonly #refusalLogprobs: unknown[] = []
  /** The index of the choice that is read, and those of choices that were reported as left out. */
  #choiceIndex: unknown
  readonly #otherChoices = new Set<unknown>()
  #frameCount = 0
  #isStarted = false
  #isOver = false
  #finishReason: string | undefined
  #usage: Usage | undefined
  #serviceTier: ServedTier | undefined

  constructor(report: Report, { skipMalformed = false }: StreamDecoderOptions = {}) {
    this.#report = report
    this.#skipMalformed = skipMalformed
    this.#text = new StreamText(messagePath, this.#parts, report)
    this.#calls = new StreamCalls(messagePath, this.#parts, this.#text, report)
    this.#drop = createEventDrop(report)
  }

  push(frame: SseFrame): StreamEvent[] {
    if (this.#isOver) return []
    this.#frameCount++
    this.#readFrame(frame)
    return this.#parts.takeEvents()
  }

  accept(text: string, escaped: string | undefined): void {
    const { repeats } = this
    if (this.#isOver || repeats === undefined) return
    this.#frameCount++
    if (repeats.key !== 'arguments') this.#text.append(repeats.key, text, escaped)
    else if (!this.#calls.readArguments(repeats.index, text, escaped)) this.#failUnclear()
  }

  takeEvents(): StreamEvent[] {
    return this.#parts.takeEvents()
  }

  end(): StreamEvent[] {
    if (this.#isOver) return []
    if (this.#finishReason === undefined) this.#fail(endedEarly)
    else this.#finish()
    return this.#parts.takeEvents()
  }

  #readFrame({ event, data }: SseFrame): void {
    const word = data.length < 16 ? data.trim() : data
    if (word === '') return
    if (word === '[DONE]') {
      this.#readDone()
      return
    }
    const value = parseJson(data)
    if (event === 'error') this.#failWith(failureOf(value, data))
    else if (value === undefined) {
      if (this.#skipMalformed) return
      this.#fail({ kind: 'server', message: `Event ${this.#frameCount} of the stream is not valid JSON.` })
    } else if (!isObject(value)) this.#drop(event, value)
    else if (isOther(value, event)) this.#drop(nameOf(value, event), value)
    else {
      this.#readObject(value)
      const mayRepeat = !this.#isOver && this.#otherChoices.size === 0 && !idleEvents.has(event)
      if (mayRepeat) this.repeats = readSimpleDelta(value) ?? this.repeats
    }
  }

  #readObject(value: JsonObject): void {
    const failure = readFailure(value)
    // What a chunk holds besides an error was generated before it.
    if (own(value, 'object') !== 'error') this.#readChunk(value)
    if (failure !== undefined && !this.#isOver) this.#failWith(failure)
  }

  #readChunk(chunk: JsonObject): void {
    const list = own(chunk, 'choices')
    const choices = Array.isArray(list) ? list.filter(isObject) : []
    // The first chunk of some servers holds the results of content filters, and no id yet.
    if (choices.length > 0 || textOf(chunk, 'id') !== undefined) this.#start(chunk)
    this.#unknown.readChunk(chunk)
    this.#usage = decodeUsage(own(chunk, 'usage'), ['usage']) ?? this.#usage
    const tier = textOf(chunk, 'service_tier')
    if (tier !== undefined) this.#serviceTier = { value: tier, path: ['service_tier'] }
    for (const choice of choices) if (!this.#isOver && this.#isAnswer(choice)) this.#readChoice(choice)
  }

  #start(chunk: JsonObject = {}): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const created = own(chunk, 'created')
    const createdAt = typeof created === 'number' && created > 0 ? created : undefined
    this.#parts.emit(startEvent(textOf(chunk, 'id'), textOf(chunk, 'model'), createdAt))
  }

  /** Only the first choice is read; the others are reported once. */
  #isAnswer(choice: JsonObject): boolean {
    const index = own(choice, 'index') ?? this.#choiceIndex
    this.#choiceIndex ??= index
    if (index === this.#choiceIndex) return true
    if (!this.#otherChoices.has(index)) {
      this.#otherChoices.add(index)
      const at = typeof index === 'number' ? index : 1
      const message = 'Only one choice of a stream is read; this one was left out.'
      this.#report('field_dropped', ['choices', at], message)
    }
    return false
  }

  #readChoice(choice: JsonObject): void {
    const delta = this.#deltaOf(choice)
    if (delta !== undefined) {
      this.#text.read(delta)
      this.#unknown.readDelta(delta)
      const list = own(delta, 'tool_calls')
      if (Array.isArray(list) && !this.#calls.read(list)) {
        this.#failUnclear()
        return
      }
      const functionCall = own(delta, 'function_call')
      if (isObject(functionCall) && !isNoCall(functionCall)) this.#calls.readFunctionCall(functionCall)
    }
    this.#readLogprobs(choice)
    this.#unknown.readChoice(choice)
    const end = own(choice, 'finish_reason')
    const reason = end === undefined || end === null ? undefined : String(end)
    if (reason !== undefined && replaces(reason, this.#finishReason)) this.#finishReason = reason
    this.#usage = decodeUsage(own(choice, 'usage'), ['usage']) ?? this.#usage
    const failure = readFailure(choice)
    if (failure !== undefined) this.#failWith(failure)
  }

  /** Some servers end with the complete message; it counts only if no piece of it has arrived before. */
  #deltaOf(choice: JsonObject): JsonObject | undefined {
    const delta = own(choice, 'delta')
    if (isObject(delta)) return delta
    const message = own(choice, 'message')
    return isObject(message) && this.#parts.count === 0 ? message : undefined
  }

  #readLogprobs(choice: JsonObject): void {
    const logprobs = own(choice, 'logprobs')
    if (!isObject(logprobs)) return
    const content = own(logprobs, 'content')
    const refusal = own(logprobs, 'refusal')
    if (Array.isArray(content)) this.#text.addLogprobs(content)
    if (Array.isArray(refusal)) for (const item of refusal) this.#refusalLogprobs.push(item)
  }

  #readDone(): void {
    const isComplete =
      this.#finishReason !== undefined || (this.#parts.count > 0 && this.#calls.areComplete())
    if (isComplete) this.#finish()
    else this.#fail(endedEarly)
  }

  #finish(): void {
    // Without a reason, `[DONE]` still says that the answer is complete.
    const raw = this.#finishReason
    const word = raw ?? 'stop'
    let reason = decodeFinishReason(word, [])
    if (reason === 'failed') {
      this.#fail({ kind: 'server', message: unexplained })
      return
    }
    this.#start()
    this.#isOver = true
    this.#calls.flush()
    this.#parts.endAll(parts => {
      reason = decodeFinishReason(word, parts)
      if (!isCutShort(reason)) return parts
      const unfinished = this.#calls.unfinished()
      return parts.map((part, i) => (unfinished.has(i) ? markIncomplete(part) : part))
    })
    reportFinish(raw, ['choices', 0, 'finish_reason'], this.#report)
    const finish = raw === undefined ? { reason } : { reason, raw }
    this.#parts.emit(finishEvent(finish, this.#usage, this.#residue(), this.#serviceTier))
  }

  #residue(): Residue {
    const { annotations, logprobs } = this.#text.leftovers()
    const entries: ResidueEntry[] = this.#unknown.entries()
    if (annotations) entries.push([[...messagePath, 'annotations'], annotations])
    if (logprobs) entries.push([['choices', 0, 'logprobs', 'content'], logprobs])
    const refusal = this.#refusalLogprobs
    if (refusal.length > 0) entries.push([['choices', 0, 'logprobs', 'refusal'], refusal])
    const defaults: ResidueEntry[] = [
      [['object'], 'chat.completion'],
      [['choices', 0, 'index'], 0],
    ]
    if (this.#serviceTier !== undefined) defaults.push([['service_tier'], this.#serviceTier.value])
    return chatResidue.create([], entries, defaults)
  }

  #failUnclear(): void {
    const message = `Event ${this.#frameCount} goes on with a call and does not say which; two share its index.`
    this.#fail({ kind: 'server', message })
  }

  #failWith({ error, residue }: Failure): void {
    reportResidue(residue, this.#report)
    this.#fail(error)
  }

  #fail(error: ApiError): void {
    this.#start()
    this.#isOver = true
    this.#calls.flush()
    this.#parts.endAll(parts => parts.map(markIncomplete))
    this.#parts.emit({ type: 'error', error })
  }
}

/** Events that keep the connection alive, whatever they hold. */
const idleEvents: ReadonlySet<unknown> = new Set(['ping', 'keepalive'])

const endedEarly: ApiError = { kind: 'server', message: 'The stream ended before the answer was finished.' }

function markIncomplete(part: Part): Part {
  return part.kind === 'call' ? { ...part, status: 'incomplete' } : part
}

/** Whether it is an event of another kind than a chunk, which servers name. Chunks have no type. */
function isOther(value: JsonObject, event: string | undefined): boolean {
  if (nameOf(value, event) === undefined) return false
  return chunkMarks.every(key => own(value, key) === undefined) && readFailure(value) === undefined
}

const chunkMarks = ['choices', 'usage', 'object']

function nameOf(value: JsonObject, event: string | undefined): unknown {
  return event === undefined || event === 'message' ? own(value, 'type') : event
}

/** The first known reason counts, unless a later one says that the answer was cut short. */
function replaces(word: string, before: string | undefined): boolean {
  if (before === undefined) return true
  const reason = reasonOfWord(word)
  if (reason === 'length' || reason === 'filter' || reason === 'failed') return true
  return reason !== 'unfinished' && reasonOfWord(before) === 'unfinished'
}

interface Failure {
  readonly error: ApiError
  readonly residue?: Residue
}

/** The error that a chunk or choice holds. Some servers send an empty one where there is none. */
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
  const message = typeof value === 'string' ? value : value === undefined ? text : ''
  return { error: { kind: 'server', message: message.trim() === '' ? unexplained : message } }
}

const unexplained = 'The model failed while answering and did not say why.'

/** Some proxies write the deprecated field without a name and arguments where there is no call. */
function isNoCall(functionCall: JsonObject): boolean {
  return !own(functionCall, 'name') && !own(functionCall, 'arguments')
}
