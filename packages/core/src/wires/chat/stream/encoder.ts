/** Events to Chat's chunks: the role first, one finish, usage if the client asked for it, `[DONE]` only after success. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { ApiError, Usage } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
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
import { ChunkEncoder } from './encode-frames.ts'
import { PartsEncoder } from './encode-parts.ts'

/** Known once the answer has started. */
interface Encoders {
  readonly chunks: ChunkEncoder
  readonly parts: PartsEncoder
}

type AnswerStart = Omit<StartEvent, 'type'>

export class ChatStreamEncoder implements StreamEncoder {
  readonly #context: AnswerContext
  readonly #report: Report
  readonly #withUsage: boolean
  #encoders: Encoders | undefined
  #isOver = false
  /** What was written before the end: an error may replace the end. */
  #beforeEnd = ''

  constructor(context: AnswerContext, report: Report) {
    this.#context = context
    this.#report = report
    this.#withUsage = wantsUsage(context)
  }

  resume(event: StartEvent): void {
    this.#encoders ??= this.#open(event)
  }

  push(event: StreamEvent): string {
    if (this.#isOver) return ''
    const encoders = this.#encoders
    if (encoders !== undefined) return event.type === 'start' ? '' : this.#encode(event, encoders)
    const opened = this.#open(event.type === 'start' ? event : {})
    this.#encoders = opened
    const head = opened.chunks.delta({ role: 'assistant', content: null, refusal: null })
    return event.type === 'start' ? head : head + this.#encode(event, opened)
  }

  replaceEnd(error: ApiError): string {
    return this.#beforeEnd + errorFrame(error)
  }

  #open({ id, createdAt, model }: AnswerStart): Encoders {
    const context = this.#context
    const head = {
      id: id ?? context.newId('chatcmpl-'),
      created: createdAt ?? context.now(),
      model: model ?? requestedModel(context),
    }
    const chunks = new ChunkEncoder(head, this.#withUsage)
    return { chunks, parts: new PartsEncoder(chunks, context, this.#report) }
  }

  #encode(event: Exclude<StreamEvent, StartEvent>, { chunks, parts }: Encoders): string {
    switch (event.type) {
      case 'part-start':
        return parts.start(event.index, event.part)
      case 'part-delta':
        return parts.delta(event)
      case 'part-end':
        return parts.end(event.index, event.part)
      case 'error':
        this.#isOver = true
        return parts.drain() + errorFrame(event.error)
      case 'finish':
        this.#isOver = true
        this.#beforeEnd = parts.drain()
        return this.#beforeEnd + this.#finish(event, chunks, parts.ended)
    }
  }

  #finish(event: FinishEvent, chunks: ChunkEncoder, parts: readonly Part[]): string {
    const { finish, usage } = event
    if (finish.reason === 'failed') return errorFrame(undefined)
    const fields = { logprobs: null, finish_reason: finishWord(event, parts, this.#report) }
    const last = this.#lastChunk(fields, event, chunks)
    return `${last}${this.#withUsage && usage ? this.#usageChunk(usage, chunks) : ''}data: [DONE]\n\n`
  }

  #lastChunk(fields: JsonObject, { residue, serviceTier }: FinishEvent, chunks: ChunkEncoder): string {
    const plain = { delta: {}, ...fields }
    if (residue?.wire !== 'chat') {
      chatResidue.reportForeign(residue, this.#report)
      return chunks.choice(plain, serviceTier && { service_tier: serviceTier.value })
    }
    const { choice, more } = placeResidue(fields, residue)
    return chunks.choice(choice, more) || this.#withoutResidue(chunks.choice(plain))
  }

  #usageChunk(usage: Usage, chunks: ChunkEncoder): string {
    const { residue: _, ...plain } = usage
    const report = this.#report
    return (
      chunks.usage(encodeUsage(usage, report)) ||
      this.#withoutResidue(chunks.usage(encodeUsage(plain, report)))
    )
  }

  #withoutResidue(chunk: string): string {
    const message = 'What else the answer held is nested too deep to be written; it was left out.'
    this.#report('field_dropped', [], message)
    return chunk
  }
}

function wantsUsage({ request }: AnswerContext): boolean {
  const options = request && own(request, 'stream_options')
  return isObject(options) && own(options, 'include_usage') === true
}

/** Clients run calls only if this is `tool_calls`, whatever word the source used. */
function finishWord({ finish, residue }: FinishEvent, parts: readonly Part[], report: Report): string {
  const own =
    residue?.wire === 'chat' ? encodeFinish({ turns: [], finish, residue }, parts, () => {}) : undefined
  const isPlain = own === undefined || (own === 'stop' && finish.reason === 'calls')
  return isPlain ? (encodeFinish({ turns: [], finish }, parts, report) ?? 'stop') : own
}

/** Chat's own residue returns in the last chunk; that of the message goes into its delta. */
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
