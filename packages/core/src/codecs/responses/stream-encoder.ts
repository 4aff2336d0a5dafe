/** Writes a streamed answer: the full order of events, dense places, one id throughout, and whole items at the end. */
import type { Answer, ApiError, Finish } from '../../model/answer.ts'
import type { Part } from '../../model/conversation.ts'
import type { Report } from '../../model/diagnostic.ts'
import type { JsonObject } from '../../model/json.ts'
import { compact, own } from '../../model/json.ts'
import type { FinishEvent, PartStartEvent, StartEvent } from '../../model/stream-event.ts'
import type { AnswerContext, StreamEncoder } from '../codec.ts'
import { writeAnswer } from './answer.ts'
import { errorBody } from './errors.ts'
import { isOwn } from './fields.ts'
import { writeFinish } from './finish.ts'
import { createMessageWriter } from './stream-content-writer.ts'
import { createStreamOutput } from './stream-output.ts'
import type { PartWriter } from './stream-part-writer.ts'
import { openItem } from './stream-part-writer.ts'
import { isItem } from './turn-writer.ts'

/** Open Responses wants it after every stream; OpenAI sends none, and every client takes both. */
const last = 'data: [DONE]\n\n'

export function createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder {
  const output = createStreamOutput(context, report)
  const messages = createMessageWriter(output, context, report)
  const open = new Map<number, PartWriter>()
  const ended = new Map<string, Part>()
  let begun: JsonObject | undefined
  let whole: JsonObject | undefined
  let over = false

  const answerOf = (finish: Finish, more: Partial<Answer> = {}): Answer => ({
    turns: [{ role: 'assistant', parts: [...ended.values()], root: [] }],
    finish,
    ...more,
  })

  const start = ({ type: _, ...head }: StartEvent): string => {
    if (begun !== undefined) return ''
    const body = writeAnswer(
      answerOf({ reason: 'unfinished' }, head),
      () => [],
      context,
      () => {},
    )
    const response = { ...body, status: 'in_progress', incomplete_details: null }
    begun = response
    return output.frame('response.created', { response }) + output.frame('response.in_progress', { response })
  }

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
    return texts.join('') + messages.seal(isCut) + output.release(isCut)
  }

  const responseOf = (answer: Answer): JsonObject => {
    const around = begun ?? {}
    const { id, model, created_at: createdAt } = around as { id: string; model: string; created_at: number }
    const items = output.items()
    const written = writeAnswer({ ...answer, id, model, createdAt }, () => items, context, report)
    return isOwn(answer) ? { ...around, ...written, output: items } : written
  }

  const finish = ({ finish: given, usage, residue }: FinishEvent): string => {
    if (given.reason === 'failed') return fail({ kind: 'server', message: 'The answer failed.' })
    over = true
    const { status } = writeFinish(given, ended.has('refusal'))
    const text = close(status === 'incomplete')
    const response = responseOf(answerOf(given, compact({ usage, residue })))
    const type = own(response, 'status') === 'completed' ? 'response.completed' : 'response.incomplete'
    whole = response
    return text + output.frame(type, { response }) + last
  }

  const fail = (error: ApiError): string => {
    over = true
    const text = close(true)
    const response = responseOf(answerOf({ reason: 'failed' }, { error }))
    whole = response
    return (
      text + output.frame('error', errorBody(error)) + output.frame('response.failed', { response }) + last
    )
  }

  return {
    get answer() {
      return whole
    },
    resume(event, frames) {
      start(event)
      output.goOnFrom(frames)
    },
    push(event) {
      if (over) return ''
      if (event.type === 'start') return start(event)
      const head = start({ type: 'start' })
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
