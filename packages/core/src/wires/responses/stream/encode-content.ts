/** Writes the parts that are content of messages. Parts that follow one another are the content of one message. */
import type { JsonObject } from '../../../json/object.ts'
import { assignOwn, isObject, own } from '../../../json/object.ts'
import type { Part, RefusalPart, TextPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { PartDeltaEvent } from '../../../model/stream-event.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'
import { encodeParts, reportDropped } from '../parts.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'
import type { DeltaFrame, ItemPosition, StreamOutput } from './encode-frames.ts'
import { deltaFrame, jsonWith, positionJson } from './encode-frames.ts'
import type { PartEncoder } from './encode-parts.ts'
import type { WrittenText } from './written-text.ts'

/** A message that has been announced. It is closed when it is sealed and all its parts have ended. */
class OpenMessage {
  /** The frame that announces it. */
  readonly opening: string
  /** Parts with the same key belong into the same message. */
  readonly key: unknown
  readonly position: ItemPosition
  readonly #output: StreamOutput
  readonly #content: unknown[] = []
  /** The same as JSON; `undefined` for a part that is nested too deep. */
  readonly #json: (string | undefined)[] = []
  #openParts = 0
  #isSealed = false

  constructor(key: unknown, output: StreamOutput) {
    this.key = key
    this.#output = output
    const { text, position } = output.open(messageItem(output.claimId(undefined, 'msg_'), 'in_progress', []))
    this.opening = text
    this.position = position
  }

  /** Returns the index of a new part in the content. */
  openPart(): number {
    this.#openParts++
    return this.#content.push(undefined) - 1
  }

  closePart(index: number, part: unknown, json: string | undefined): string {
    this.#content[index] = part
    this.#json[index] = json
    this.#openParts--
    return this.#isSealed && this.#openParts === 0 ? this.#close(false) : ''
  }

  /** Nothing more joins the message. */
  seal(isCut: boolean): string {
    this.#isSealed = true
    return this.#openParts === 0 ? this.#close(isCut) : ''
  }

  #close(isCut: boolean): string {
    const { position } = this
    const status = isCut && this.#output.isLast(position) ? 'incomplete' : 'completed'
    const isKnown = this.#json.every(json => json !== undefined)
    const known = isKnown ? { key: 'content', json: `[${this.#json.join(',')}]` } : undefined
    return this.#output.close(position, messageItem(position.id, status, this.#content), known)
  }
}

function messageItem(id: string, status: string, content: readonly unknown[]): JsonObject & { id: string } {
  return { type: 'message', id, status, role: 'assistant', content }
}

export class MessagesEncoder {
  readonly #output: StreamOutput
  readonly #writer: EncodeContext
  #current: OpenMessage | undefined

  constructor(output: StreamOutput, context: AnswerContext, report: Report) {
    this.#output = output
    this.#writer = { report, answer: context }
  }

  /** `undefined` for a part that this wire cannot express; it has been reported. */
  open(part: Part): PartEncoder | undefined {
    const isText = part.kind === 'text' || part.kind === 'refusal'
    const start = isText ? undefined : this.#startOf(part)
    if (!isText && start === undefined) return undefined
    const key = keyOf(part)
    const sealed = this.#current?.key === key ? '' : this.seal()
    const joined = this.#current
    const message = joined ?? new OpenMessage(key, this.#output)
    this.#current = message
    const before = joined === undefined ? sealed + message.opening : ''
    if (isText) return new TextContentEncoder(part, before, message, this.#output, this.#writer)
    return new OtherContentEncoder(part, start ?? {}, before, message, this.#output, this.#writer)
  }

  /** Nothing more joins the message; it is closed once its parts are. */
  seal(isCut = false): string {
    const message = this.#current
    this.#current = undefined
    return message?.seal(isCut) ?? ''
  }

  /** Content without text of its own, as it is announced. */
  #startOf(part: Part): JsonObject | undefined {
    const [start] = encodeParts([part], 'assistant', { ...this.#writer, report: () => {} })
    if (isObject(start)) return start
    const [refused] = encodeParts([part], 'assistant', this.#writer)
    if (refused !== undefined) reportDropped(part, this.#writer)
    return undefined
  }
}

const texts = {
  text: {
    type: 'output_text',
    key: 'text',
    delta: 'response.output_text.delta',
    done: 'response.output_text.done',
    more: ',"logprobs":[]',
    empty: '{"type":"output_text","text":"","annotations":[]}',
  },
  refusal: {
    type: 'refusal',
    key: 'refusal',
    delta: 'response.refusal.delta',
    done: 'response.refusal.done',
    more: '',
    empty: '{"type":"refusal","refusal":""}',
  },
} as const

class TextContentEncoder implements PartEncoder {
  readonly opening: string
  readonly #part: TextPart | RefusalPart
  readonly #message: OpenMessage
  readonly #index: number
  readonly #output: StreamOutput
  readonly #writer: EncodeContext
  /** The fields by which its events refer to it, as JSON. */
  readonly #reference: string
  readonly #frame: DeltaFrame
  readonly #written: WrittenText

  /** `before` are the frames that announce its message. */
  constructor(
    part: TextPart | RefusalPart,
    before: string,
    message: OpenMessage,
    output: StreamOutput,
    writer: EncodeContext,
  ) {
    const { delta, more, empty } = texts[part.kind]
    this.#part = part
    this.#message = message
    this.#index = message.openPart()
    this.#output = output
    this.#writer = writer
    this.#reference = `${positionJson(message.position)},"content_index":${this.#index}`
    this.#frame = deltaFrame(delta, this.#reference, more)
    this.#written = output.newText()
    const added = output.rawFrame('response.content_part.added', `${this.#reference},"part":${empty}`)
    this.opening = before + added
  }

  delta({ text, escapedText }: PartDeltaEvent): string {
    return this.#append(text, escapedText)
  }

  end(ended: Part, repeats: boolean): string {
    const part = this.#part
    const complete = ended.kind === part.kind ? ended : { ...part, text: this.#written.text() }
    const content = this.#encode(complete)
    const rest = this.#append(complete.text.slice(this.#written.length))
    const annotations = this.#annotations(content)
    const json = this.#output.textJson(this.#written, complete.text, repeats)
    const contentJson = jsonWith(content, { key: texts[part.kind].key, json })
    const textDone = this.#textDone(
      complete.text,
      json,
      part.kind === 'text' ? own(content, 'logprobs') : undefined,
    )
    const partDone =
      contentJson === undefined
        ? this.#output.frame('response.content_part.done', { ...this.#referenceFields(), part: content })
        : this.#output.rawFrame('response.content_part.done', `${this.#reference},"part":${contentJson}`)
    const closed = this.#message.closePart(this.#index, content, contentJson)
    return rest + annotations + textDone + partDone + closed
  }

  cut(): Part {
    return { ...this.#part, text: this.#written.text() }
  }

  #append(text: string, escaped?: string | undefined): string {
    return text === '' ? '' : this.#output.delta(this.#frame, this.#written.add(text, escaped))
  }

  #encode(part: TextPart | RefusalPart): JsonObject {
    const [encoded] = encodeParts([part], 'assistant', this.#writer)
    const content: Record<string, unknown> = this.#part.kind === 'text' ? { annotations: [] } : {}
    if (isObject(encoded)) assignOwn(content, encoded)
    const { type, key } = texts[this.#part.kind]
    content.type = type
    content[key] = part.text
    return content
  }

  #annotations(content: JsonObject): string {
    const list = own(content, 'annotations')
    let out = ''
    for (const [annotation_index, annotation] of Array.isArray(list) ? list.entries() : []) {
      const fields = { ...this.#referenceFields(), annotation_index, annotation }
      out += this.#output.frame('response.output_text.annotation.added', fields)
    }
    return out
  }

  #textDone(text: string, json: string, logprobs: unknown): string {
    const { key, done, more } = texts[this.#part.kind]
    if (logprobs === undefined || logprobs === null) {
      return this.#output.rawFrame(done, `${this.#reference},"${key}":${json}${more}`)
    }
    return this.#output.frame(done, { ...this.#referenceFields(), [key]: text, logprobs }, { key, json })
  }

  #referenceFields(): JsonObject {
    return referenceFields(this.#message, this.#index)
  }
}

/** Content without text of its own is written in one piece. */
class OtherContentEncoder implements PartEncoder {
  readonly opening: string
  readonly #part: Part
  readonly #start: JsonObject
  readonly #message: OpenMessage
  readonly #index: number
  readonly #output: StreamOutput
  readonly #writer: EncodeContext

  constructor(
    part: Part,
    start: JsonObject,
    before: string,
    message: OpenMessage,
    output: StreamOutput,
    writer: EncodeContext,
  ) {
    this.#part = part
    this.#start = start
    this.#message = message
    this.#index = message.openPart()
    this.#output = output
    this.#writer = writer
    this.opening = before + this.#frame('response.content_part.added', start)
  }

  delta(): string {
    return ''
  }

  end(ended: Part): string {
    const [encoded] = encodeParts([ended], 'assistant', this.#writer)
    const content = isObject(encoded) ? encoded : this.#start
    const done = this.#frame('response.content_part.done', content)
    return done + this.#message.closePart(this.#index, content, jsonText(content))
  }

  cut(): Part {
    return this.#part
  }

  #frame(type: string, part: JsonObject): string {
    return this.#output.frame(type, { ...referenceFields(this.#message, this.#index), part })
  }
}

/** Parts of this wire know their message; parts of other wires all go into one. */
function keyOf(part: Part): unknown {
  return responsesResidue.owns(part.residue) || part.kind === 'opaque' ? part.path[1] : 'message'
}

/** The fields by which an event refers to a part of the content. */
function referenceFields({ position }: OpenMessage, index: number): JsonObject {
  return { item_id: position.id, output_index: position.index, content_index: index }
}
