/** Events to Responses frames: all events in their order, items without gaps, one id throughout, and complete items at the end. */
import type { Draft, JsonObject } from '../../../json/object.ts'
import { assignOwn, own } from '../../../json/object.ts'
import type { Answer, ApiError, Finish, Usage } from '../../../model/answer.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { FinishEvent, PartStartEvent, StartEvent, StreamEvent } from '../../../model/stream-event.ts'
import type { AnswerContext, ClosingEvent, StreamEncoder, StreamSnapshot } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'
import { encodeEnvelope, encodeHead } from '../answer/answer.ts'
import { echoRequest, echoText } from '../answer/envelope.ts'
import { encodeErrorBody } from '../answer/errors.ts'
import { encodeFinish } from '../answer/finish.ts'
import { isItem } from '../request/encode-turn.ts'
import { responsesResidue } from '../residue.ts'
import { MessagesEncoder } from './encode-content.ts'
import { StreamOutput } from './encode-frames.ts'
import type { PartEncoder } from './encode-parts.ts'
import { createItemEncoder } from './encode-parts.ts'

/** Open Responses requires it after every stream. OpenAI sends none, and every client takes both. */
const last = 'data: [DONE]\n\n'

/** Where the items of an answer go. */
const noItems = '"output":[]'

export class ResponsesStreamEncoder implements StreamEncoder {
  readonly #context: AnswerContext
  readonly #report: Report
  readonly #output: StreamOutput
  readonly #messages: MessagesEncoder
  readonly #open = new Map<number, PartEncoder>()
  /** One ended part of each kind: the end of the answer depends on no more. */
  readonly #ended = new Map<string, Part>()
  /** The answer as it was announced, without the fields that echo the request. */
  #announced: JsonObject | undefined
  /**
   * The complete answer, and whether the fields that echo the request are missing in it. A closure that completes the
   * answer on demand was measured: finished streams then survived until the next full garbage collection.
   */
  #answer: JsonObject | undefined
  #lacksEcho = false
  /** What closes the items that were open when this encoder took over. */
  #leftOpen: readonly ClosingEvent[] = []
  #isOver = false
  /** What was written before the terminal event, and that event's number: an error may replace it. */
  #replaceable: { readonly before: string; readonly number: number; readonly usage?: Usage } | undefined

  constructor(context: AnswerContext, report: Report) {
    this.#context = context
    this.#report = report
    this.#output = new StreamOutput(context, report)
    this.#messages = new MessagesEncoder(this.#output, context, report)
  }

  resume(event: StartEvent, snapshot: StreamSnapshot | undefined): void {
    if (this.#announced === undefined) this.#start(event)
    if (snapshot === undefined) return
    this.#output.resumeAt(snapshot.next, snapshot.items)
    this.#leftOpen = snapshot.closing
  }

  push(event: StreamEvent): string {
    if (this.#isOver) return ''
    if (event.type === 'start') return this.#announced === undefined ? this.#start(event) : ''
    const head = this.#announced === undefined ? this.#start({ type: 'start' }) : ''
    switch (event.type) {
      case 'part-delta':
        return this.#open.get(event.index)?.delta(event) ?? ''
      case 'part-start':
        return head + this.#startPart(event)
      case 'part-end':
        return head + this.#endPart(event.index, event.part, event.repeatsDeltas === true)
      case 'finish':
        return head + this.#finish(event)
      case 'error':
        return head + this.#fail(event.error, undefined, event.isCancelled)
    }
  }

  replaceEnd(error: ApiError, isCancelled?: boolean): string {
    if (this.#replaceable === undefined) return ''
    const { before, number, usage } = this.#replaceable
    this.#output.resumeAt(number, [])
    return before + this.#fail(error, usage, isCancelled)
  }

  answer(): JsonObject | undefined {
    return this.#answer !== undefined && this.#lacksEcho ? this.#withEcho(this.#answer) : this.#answer
  }

  #start({ id, model, createdAt }: StartEvent): string {
    const answer = named(this.#answerWith({ reason: 'unfinished' }), id, model, createdAt)
    const body = encodeHead(
      answer,
      () => [],
      this.#context,
      () => {},
    )
    const response = { ...body, status: 'in_progress', incomplete_details: null }
    this.#announced = response
    const json = this.#answerJson(response, '[]')
    return (
      this.#frame('response.created', response, json) + this.#frame('response.in_progress', response, json)
    )
  }

  #startPart({ index, part }: PartStartEvent): string {
    const before = this.#output.closePending() + (isItem(part) ? this.#messages.seal() : '')
    const encoder = isItem(part)
      ? createItemEncoder(part, this.#output, this.#context, this.#report)
      : this.#messages.open(part)
    if (encoder === undefined) return before
    this.#open.set(index, encoder)
    return before + encoder.opening
  }

  #endPart(index: number, part: Part, repeats: boolean): string {
    const encoder = this.#open.get(index)
    if (encoder === undefined) return ''
    this.#open.delete(index)
    this.#ended.set(part.kind, part)
    return encoder.end(part, repeats)
  }

  #finish({ finish, usage, residue, serviceTier }: FinishEvent): string {
    if (finish.reason === 'failed') return this.#fail({ kind: 'server', message: 'The answer failed.' })
    this.#isOver = true
    const { status } = encodeFinish(finish, this.#ended.has('refusal'))
    const before = this.#closeAll(status === 'incomplete')
    this.#replaceable = { before, number: this.#output.nextNumber, ...(usage !== undefined && { usage }) }
    const answer = this.#answerWith(finish)
    if (usage !== undefined) answer.usage = usage
    if (residue !== undefined) answer.residue = residue
    if (serviceTier !== undefined) answer.serviceTier = serviceTier
    const typeOf = (response: JsonObject): string =>
      own(response, 'status') === 'completed' ? 'response.completed' : 'response.incomplete'
    return before + this.#end(answer, typeOf)
  }

  #fail(error: ApiError, usage?: Usage, isCancelled = false): string {
    this.#isOver = true
    const before = this.#closeAll(true) + this.#output.frame('error', encodeErrorBody(error))
    const answer = this.#answerWith({ reason: isCancelled ? 'cancelled' : 'failed' })
    if (!isCancelled) answer.error = error
    if (usage !== undefined) answer.usage = usage
    return before + this.#end(answer, () => 'response.failed')
  }

  /** Closes everything that is open as far as it got. */
  #closeAll(isCut: boolean): string {
    const texts = [...this.#open].map(([index, encoder]) => this.#endPart(index, encoder.cut(), true))
    const left = this.#leftOpen.map(({ type, ...fields }) => this.#output.frame(type, fields))
    this.#leftOpen = []
    return left.join('') + texts.join('') + this.#messages.seal(isCut) + this.#output.closePending(isCut)
  }

  /** The terminal event; its type depends on the answer as it was written. */
  #end(given: Draft<Answer>, typeOf: (response: JsonObject) => string): string {
    const announced = this.#announced ?? {}
    const {
      id,
      model,
      created_at: createdAt,
    } = announced as { id: string; model: string; created_at: number }
    const answer = named(given, id, model, createdAt)
    const items = this.#output.items()
    if (responsesResidue.owns(answer.residue)) {
      const written = encodeEnvelope(answer, () => items, this.#context, this.#report)
      const response = assignOwn(this.#withEcho(announced), written)
      response.output = items
      this.#answer = response
      this.#lacksEcho = false
      return this.#output.frame(typeOf(response), { response }) + last
    }
    const head = encodeHead(answer, () => items, this.#context, this.#report)
    this.#answer = head
    this.#lacksEcho = true
    return this.#frame(typeOf(head), head, this.#answerJson(head, this.#output.itemsJson())) + last
  }

  #answerWith(finish: Finish): Draft<Answer> {
    return { turns: [{ role: 'assistant', parts: [...this.#ended.values()], root: [] }], finish }
  }

  /** An event that holds the answer; `json` is the answer as JSON, where it can be written. */
  #frame(type: string, head: JsonObject, json: string | undefined): string {
    return json === undefined
      ? this.#output.frame(type, { response: this.#withEcho(head) })
      : this.#output.rawFrame(type, `"response":${json}`)
  }

  /** The answer as JSON, with the JSON of its items. */
  #answerJson(head: JsonObject, items: string | undefined): string | undefined {
    const echo = echoText(this.#context)
    const json = echo === undefined || items === undefined ? undefined : jsonText({ ...head, output: [] })
    if (json === undefined) return undefined
    const at = json.indexOf(noItems)
    return `${json.slice(0, at)}"output":${items}${json.slice(at + noItems.length, -1)},${echo}}`
  }

  /** The answer with the fields that echo the request. */
  #withEcho(head: JsonObject): Record<string, unknown> {
    // Spreading two large objects into one takes many times as long on Node 20.
    return assignOwn({ ...head }, echoRequest(this.#context))
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
