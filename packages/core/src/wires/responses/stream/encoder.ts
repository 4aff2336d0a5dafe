/** Writes a streamed answer: the full order of events, dense places, one id throughout, and whole items at the end. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { assignOwn, own } from '../../../json/object.ts'
import type { Answer, ApiError, Finish, Usage } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { FinishEvent, PartStartEvent, StartEvent } from '../../../model/stream-event.ts'
import type { AnswerContext, ClosingEvent, StreamEncoder } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'
import { encodeEnvelope, encodeHead } from '../answer/answer.ts'
import { echoRequest, echoText } from '../answer/envelope.ts'
import { encodeErrorBody } from '../answer/errors.ts'
import { encodeFinish } from '../answer/finish.ts'
import { isItem } from '../request/encode-turn.ts'
import { responsesResidue } from '../residue.ts'
import { createMessageWriter } from './encode-content.ts'
import type { PartWriter } from './encode-parts.ts'
import { openItem } from './encode-parts.ts'
import { createStreamOutput } from './output.ts'

/** Open Responses wants it after every stream; OpenAI sends none, and every client takes both. */
const last = 'data: [DONE]\n\n'

/** Where the items of an answer go. */
const noItems = '"output":[]'

export function createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder {
  const output = createStreamOutput(context, report)
  const messages = createMessageWriter(output, context, report)
  const open = new Map<number, PartWriter>()
  const ended = new Map<string, Part>()
  /** The answer as it was announced, without what it repeats of the request. */
  let begun: JsonObject | undefined
  let whole: (() => JsonObject) | undefined
  /** What closes the items that somebody else has left open. */
  let leftOpen: readonly ClosingEvent[] = []
  let over = false
  /** What was written before the last terminal event, and the event's number: an error may take its place. */
  let replaceable: { readonly before: string; readonly next: number; readonly usage?: Usage } | undefined

  const answerOf = (finish: Finish): Draft<Answer> => ({
    turns: [{ role: 'assistant', parts: [...ended.values()], root: [] }],
    finish,
  })

  // Two large objects spread into one take many times as long on Node 20.
  const complete = (head: JsonObject): Record<string, unknown> =>
    assignOwn({ ...head }, echoRequest(context.request ?? {}))

  /** The answer as JSON. Items are put in as they were written before. */
  const textOf = (head: JsonObject, items: string | undefined): string | undefined => {
    const echo = echoText(context)
    const text = echo === undefined || items === undefined ? undefined : jsonText({ ...head, output: [] })
    if (text === undefined) return undefined
    const at = text.indexOf(noItems)
    return `${text.slice(0, at)}"output":${items}${text.slice(at + noItems.length, -1)},${echo}}`
  }

  const start = ({ id, model, createdAt }: StartEvent): string => {
    const answer = named(answerOf({ reason: 'unfinished' }), id, model, createdAt)
    const body = encodeHead(answer, [], context, () => {})
    const response = { ...body, status: 'in_progress', incomplete_details: null }
    begun = response
    const text = textOf(response, '[]')
    return tell('response.created', response, text) + tell('response.in_progress', response, text)
  }

  const tell = (type: string, head: JsonObject, text: string | undefined): string =>
    text === undefined
      ? output.frame(type, { response: complete(head) })
      : output.told(type, `"response":${text}`)

  const startPart = ({ index, part }: PartStartEvent): string => {
    const before = output.release() + (isItem(part) ? messages.seal() : '')
    const { text, writer } = isItem(part) ? openItem(part, output, context, report) : messages.open(part)
    if (writer !== undefined) open.set(index, writer)
    return before + text
  }

  const endPart = (index: number, part: Part): string => {
    const writer = open.get(index)
    if (writer === undefined) return ''
    open.delete(index)
    ended.set(part.kind, part)
    return writer.end(part)
  }

  /** Whatever is still open is closed as it stands. */
  const close = (isCut: boolean): string => {
    const texts = [...open].map(([index, writer]) => endPart(index, writer.cut()))
    const left = leftOpen.map(({ type, ...fields }) => output.frame(type, fields))
    leftOpen = []
    return left.join('') + texts.join('') + messages.seal(isCut) + output.release(isCut)
  }

  /** Tells the end of the answer. */
  const end = (given: Draft<Answer>, wordOf: (response: JsonObject) => string): string => {
    const around = begun ?? {}
    const { id, model, created_at: createdAt } = around as { id: string; model: string; created_at: number }
    const answer = named(given, id, model, createdAt)
    const items = output.items()
    if (responsesResidue.owns(answer.residue)) {
      const written = encodeEnvelope(answer, () => items, context, report)
      const response = assignOwn(complete(around), written)
      response.output = items
      whole = () => response
      return output.frame(wordOf(response), { response }) + last
    }
    const head = encodeHead(answer, items, context, report)
    whole = () => complete(head)
    return tell(wordOf(head), head, textOf(head, output.itemsText())) + last
  }

  const finish = ({ finish: given, usage, residue }: FinishEvent): string => {
    if (given.reason === 'failed') return fail({ kind: 'server', message: 'The answer failed.' })
    over = true
    const { status } = encodeFinish(given, ended.has('refusal'))
    const text = close(status === 'incomplete')
    replaceable = { before: text, next: output.next(), ...(usage !== undefined && { usage }) }
    const isCompleted = (response: JsonObject): boolean => own(response, 'status') === 'completed'
    const answer = answerOf(given)
    if (usage !== undefined) answer.usage = usage
    if (residue !== undefined) answer.residue = residue
    return text + end(answer, response => `response.${isCompleted(response) ? 'completed' : 'incomplete'}`)
  }

  const fail = (error: ApiError, usage?: Usage): string => {
    over = true
    const text = close(true) + output.frame('error', encodeErrorBody(error))
    const answer = answerOf({ reason: 'failed' })
    answer.error = error
    if (usage !== undefined) answer.usage = usage
    return text + end(answer, () => 'response.failed')
  }

  return {
    answer: () => whole?.(),
    replaceEnd(error) {
      if (replaceable === undefined) return ''
      const { before, next, usage } = replaceable
      output.goOnFrom(next, [])
      return before + fail(error, usage)
    },
    resume(event, told) {
      if (begun === undefined) start(event)
      if (told === undefined) return
      output.goOnFrom(told.next, told.items)
      leftOpen = told.closing
    },
    push(event) {
      if (over) return ''
      if (event.type === 'start') return begun === undefined ? start(event) : ''
      const head = begun === undefined ? start({ type: 'start' }) : ''
      switch (event.type) {
        case 'part-delta':
          return open.get(event.index)?.delta(event) ?? ''
        case 'part-start':
          return head + startPart(event)
        case 'part-end':
          return head + endPart(event.index, event.part)
        case 'finish':
          return head + finish(event)
        case 'error':
          return head + fail(event.error)
      }
    },
  }
}

function named(
  answer: Draft<Answer>,
  id: string | undefined,
  model: string | undefined,
  createdAt: number | undefined,
): Answer {
  if (id !== undefined) answer.id = id
  if (model !== undefined) answer.model = model
  if (createdAt !== undefined) answer.createdAt = createdAt
  return answer
}
