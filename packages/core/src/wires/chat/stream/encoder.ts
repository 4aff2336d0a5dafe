/** Events to Chat's chunks: the role first, one finish, usage for those who asked, and `[DONE]` after success only. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { ApiError, Usage } from '../../../model/answer.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { Residue } from '../../../model/residue.ts'
import { restoreResidue } from '../../../model/residue.ts'
import type { FinishEvent, StartEvent, StreamEvent } from '../../../model/stream-event.ts'
import type { AnswerContext, StreamEncoder } from '../../define-wire.ts'
import { requestedModel } from '../answer/answer.ts'
import { encodeErrorAnswer } from '../answer/errors.ts'
import { encodeFinish } from '../answer/finish.ts'
import { encodeUsage } from '../answer/usage.ts'
import { chatResidue } from '../residue.ts'
import type { ChunkWriter } from './encode-chunk.ts'
import { createChunkWriter } from './encode-chunk.ts'
import type { PartWriter } from './encode-parts.ts'
import { createPartWriter } from './encode-parts.ts'

interface Writers {
  readonly chunks: ChunkWriter
  readonly parts: PartWriter
}

export function createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder {
  const withUsage = wantsUsage(context)
  let writers: Writers | undefined
  let isOver = false
  /** What was written before the end: an error may take the end's place. */
  let beforeEnd = ''

  const open = ({ id, createdAt, model }: Omit<StartEvent, 'type'>): Writers => {
    const head = {
      id: id ?? context.newId('chatcmpl-'),
      created: createdAt ?? context.now(),
      model: model ?? requestedModel(context),
    }
    const chunks = createChunkWriter(head, withUsage)
    return { chunks, parts: createPartWriter(chunks, () => context.newId('call_'), report) }
  }

  const start = (event: Omit<StartEvent, 'type'>): string => {
    writers = open(event)
    return writers.chunks.delta({ role: 'assistant', content: null, refusal: null })
  }

  const say = (event: Exclude<StreamEvent, StartEvent>, { chunks, parts }: Writers): string => {
    switch (event.type) {
      case 'part-start':
        return parts.start(event.index, event.part)
      case 'part-delta':
        return parts.delta(event)
      case 'part-end':
        return parts.end(event.index, event.part)
      case 'error':
        isOver = true
        return parts.drain() + errorFrame(event.error)
      case 'finish':
        isOver = true
        beforeEnd = parts.drain()
        return beforeEnd + finish(event, chunks, parts)
    }
  }

  const finish = (event: FinishEvent, chunks: ChunkWriter, { parts }: PartWriter): string => {
    if (event.finish.reason === 'failed') return errorFrame(undefined)
    const plain = { logprobs: null, finish_reason: finishWord(event, parts, report) }
    const last = { delta: {}, ...plain }
    if (event.residue?.wire !== 'chat') {
      chatResidue.reportForeign(event.residue, report)
      return closing(chunks.choice(last), event, chunks)
    }
    const { choice, more } = placeResidue(plain, event.residue)
    return closing(chunks.choice(choice, more) || withoutResidue(chunks.choice(last)), event, chunks)
  }

  const closing = (end: string, event: FinishEvent, chunks: ChunkWriter): string => {
    return `${end}${withUsage && event.usage ? count(event.usage, chunks) : ''}data: [DONE]\n\n`
  }

  const count = (usage: Usage, chunks: ChunkWriter): string => {
    const { residue: _, ...plain } = usage
    return (
      chunks.usage(encodeUsage(usage, report)) || withoutResidue(chunks.usage(encodeUsage(plain, report)))
    )
  }

  const withoutResidue = (chunk: string): string => {
    report(
      'field_dropped',
      [],
      'What else the answer held is nested too deep to be written; it was left out.',
    )
    return chunk
  }

  return {
    resume(event) {
      writers ??= open(event)
    },
    replaceEnd: error => beforeEnd + errorFrame(error),
    push(event) {
      if (isOver) return ''
      if (event.type === 'start') return writers === undefined ? start(event) : ''
      const head = writers === undefined ? start({}) : ''
      return writers === undefined ? head : head + say(event, writers)
    },
  }
}

function wantsUsage({ request }: AnswerContext): boolean {
  const options = request && own(request, 'stream_options')
  return isObject(options) && own(options, 'include_usage') === true
}

/** Clients run calls only when the reason says so, whatever word the source used for its own end. */
function finishWord({ finish, residue }: FinishEvent, parts: PartWriter['parts'], report: Report): string {
  const own =
    residue?.wire === 'chat' ? encodeFinish({ turns: [], finish, residue }, parts, () => {}) : undefined
  const isPlain = own === undefined || (own === 'stop' && finish.reason === 'calls')
  return isPlain ? (encodeFinish({ turns: [], finish }, parts, report) ?? 'stop') : own
}

/** Chat's own leftovers return in the last chunk: those of the message in its delta. */
function placeResidue(fields: JsonObject, residue: Residue): { choice: JsonObject; more: JsonObject } {
  const written: Record<string, unknown> = { choices: { 0: { message: {}, ...fields } } }
  restoreResidue(written, residue)
  const { choices, object: _, ...more } = written
  const first = isObject(choices) ? own(choices, '0') : undefined
  const { message = {}, index: __, ...choice } = isObject(first) ? first : fields
  return { choice: { delta: message, ...choice }, more }
}

function errorFrame(error: ApiError | undefined): string {
  const answer = { turns: [], finish: { reason: 'failed' } as const, ...(error && { error }) }
  return `data: ${JSON.stringify(encodeErrorAnswer(answer, () => {}))}\n\n`
}
