/** Writes the parts that are items of their own: calls, reasoning, and what only this wire defines. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { CallPart, Part, ReasoningPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { PartDeltaEvent } from '../../../model/stream-event.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { encodeCall, encodeResult } from '../calls.ts'
import { reportDropped } from '../parts.ts'
import { encodeReasoning } from '../reasoning.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'
import type { DeltaFrame, ItemPosition, StreamOutput } from './encode-frames.ts'
import { deltaFrame, positionJson } from './encode-frames.ts'
import { cutPart, ProgressEncoder, withoutText } from './encode-hosted.ts'
import { SectionsEncoder } from './encode-sections.ts'
import type { WrittenText } from './written-text.ts'

export interface PartEncoder {
  /** The frames that announce the part. */
  readonly opening: string
  delta(event: PartDeltaEvent): string
  /** `repeats`: the text of the part is certain to be what was written. */
  end(part: Part, repeats: boolean): string
  /** The part as far as it got, when the stream broke off in it. */
  cut(): Part
}

type AnswerWriter = Required<EncodeContext>

const silent: Report = () => {}

/** `undefined` for a part that this wire cannot express; it has been reported. */
export function createItemEncoder(
  part: Part,
  output: StreamOutput,
  context: AnswerContext,
  report: Report,
): PartEncoder | undefined {
  const writer: AnswerWriter = { report, answer: withStableIds(context) }
  if (part.kind === 'call') return new CallEncoder(part, output, writer)
  if (part.kind === 'reasoning') return new ReasoningEncoder(part, output, writer)
  const start = itemOf(part, { ...writer, report: silent })
  if (start !== undefined) return new OtherItemEncoder(part, start, output, writer)
  reportDropped(part, writer)
  return undefined
}

/** An item is written when it starts and when it ends, and must have the same ids both times. */
function withStableIds(context: AnswerContext): AnswerContext {
  const ids = new Map<string, string>()
  return {
    newId(prefix) {
      const id = ids.get(prefix) ?? context.newId(prefix)
      ids.set(prefix, id)
      return id
    },
    now: () => context.now(),
  }
}

const forms = {
  function: {
    key: 'arguments',
    prefix: 'fc_',
    delta: 'response.function_call_arguments.delta',
    done: 'response.function_call_arguments.done',
  },
  custom: {
    key: 'input',
    prefix: 'ctc_',
    delta: 'response.custom_tool_call_input.delta',
    done: 'response.custom_tool_call_input.done',
  },
} as const

class CallEncoder implements PartEncoder {
  readonly opening: string
  readonly #part: CallPart
  readonly #output: StreamOutput
  readonly #writer: AnswerWriter
  readonly #callId: string
  readonly #position: ItemPosition
  /** The fields by which its events refer to it, as JSON. */
  readonly #reference: string
  readonly #frame: DeltaFrame
  readonly #input: WrittenText

  constructor(part: CallPart, output: StreamOutput, writer: AnswerWriter) {
    this.#part = part
    this.#output = output
    this.#writer = writer
    const { prefix, delta } = forms[part.form]
    const start = encodeCall(part, { ...writer, report: silent }, 'in_progress')
    const id = output.claimId(own(start, 'id'), prefix)
    const callId = own(start, 'call_id')
    this.#callId = typeof callId === 'string' && callId !== '' ? callId : writer.answer.newId('call_')
    const { text, position } = output.open(this.#complete(start, id, 'in_progress', ''))
    this.opening = text
    this.#position = position
    this.#reference = positionJson(position)
    this.#frame = deltaFrame(delta, this.#reference)
    this.#input = output.newText()
  }

  delta({ text, escapedText }: PartDeltaEvent): string {
    return this.#append(text, escapedText)
  }

  end(ended: Part, repeats: boolean): string {
    const { form } = this.#part
    const { key, done } = forms[form]
    const call = ended.kind === 'call' ? ended : this.#part
    const written = encodeCall(call.form === form ? call : { ...call, form }, this.#writer)
    const given = own(written, 'status')
    const status = typeof given === 'string' ? given : 'completed'
    const item = this.#complete(written, this.#position.id, status, call.input)
    const output = this.#output
    const rest = this.#append(call.input.slice(this.#input.length))
    const known = { key, json: this.#output.textJson(this.#input, call.input, repeats) }
    // Clients take the event that ends the arguments as leave to run them, so it never comes with half of them.
    if (status !== 'completed') return rest + output.close(this.#position, item, known)
    const fields = `${this.#reference},"${key}":${known.json}`
    // Without a status, the call is complete if the answer goes on, or if the answer does not end as cut short.
    if (call.status === undefined)
      return rest + output.closeWhenCertain(this.#position, item, known, { type: done, fields })
    return rest + output.rawFrame(done, fields) + output.close(this.#position, item, known)
  }

  cut(): Part {
    return { ...this.#part, input: this.#input.text(), status: 'incomplete' }
  }

  #append(text: string, escaped?: string | undefined): string {
    return text === '' ? '' : this.#output.delta(this.#frame, this.#input.add(text, escaped))
  }

  /** The written item with the ids that it has from its start to its end. */
  #complete(
    written: ReturnType<typeof encodeCall>,
    id: string,
    status: string,
    input: string,
  ): JsonObject & { id: string } {
    written.id = id
    written.call_id = this.#callId
    written.status = status
    written[forms[this.#part.form].key] = input
    return written as JsonObject & { id: string }
  }
}

class ReasoningEncoder implements PartEncoder {
  readonly opening: string
  readonly #part: ReasoningPart
  readonly #output: StreamOutput
  readonly #writer: AnswerWriter
  readonly #isForeign: boolean
  /** Of this wire's own reasoning, OpenAI's has no status and that of Open Responses has one. */
  readonly #hasStatus: boolean
  readonly #position: ItemPosition
  readonly #sections: SectionsEncoder

  constructor(part: ReasoningPart, output: StreamOutput, writer: AnswerWriter) {
    this.#part = part
    this.#output = output
    this.#writer = writer
    this.#isForeign = !responsesResidue.owns(part.residue)
    const start = encodeReasoning({ ...part, summary: [], text: [] }, { ...writer, report: silent })
    this.#hasStatus = this.#isForeign || own(start, 'status') !== undefined
    const item = { ...start, id: output.claimId(own(start, 'id'), 'rs_'), summary: [] }
    const { text, position } = output.open(this.#isForeign ? { ...item, status: 'in_progress' } : item)
    this.opening = text
    this.#position = position
    this.#sections = new SectionsEncoder(position, output, this.#isForeign)
  }

  delta({ summary, section, text, escapedText }: PartDeltaEvent): string {
    return this.#sections.delta(summary === true, section ?? 0, text, escapedText)
  }

  end(ended: Part, repeats: boolean): string {
    const complete = ended.kind === 'reasoning' ? ended : this.#part
    const rest = this.#sections.end(complete, repeats)
    const written = encodeReasoning({ ...complete, ...this.#sections.written() }, this.#writer)
    const item = { summary: [], ...written, id: this.#position.id }
    const status = own(written, 'status')
    const isFinal = !this.#isForeign && (status === 'completed' || status === 'incomplete')
    if (!this.#hasStatus || isFinal) return rest + this.#output.close(this.#position, item)
    // It is complete if the answer goes on, or if the answer does not end as cut short.
    return rest + this.#output.closeWhenCertain(this.#position, { ...item, status: 'completed' })
  }

  cut(): Part {
    return { ...withoutEmptyLists(this.#part), ...this.#sections.received() }
  }
}

/** The empty lists of the announcement must not be repeated in the final item. */
function withoutEmptyLists(part: ReasoningPart): ReasoningPart {
  const { residue } = part
  if (residue?.defaults === undefined) return part
  const defaults = residue.defaults.filter(([[key]]) => key !== 'summary' && key !== 'content')
  return { ...part, residue: { ...residue, defaults } }
}

/** What only this wire defines is written as it came; results of tools are encoded. */
class OtherItemEncoder implements PartEncoder {
  readonly opening: string
  readonly #part: Part
  readonly #start: JsonObject
  readonly #output: StreamOutput
  readonly #writer: AnswerWriter
  readonly #position: ItemPosition
  readonly #progress: ProgressEncoder

  constructor(part: Part, start: JsonObject, output: StreamOutput, writer: AnswerWriter) {
    this.#part = part
    this.#start = start
    this.#output = output
    this.#writer = writer
    const id = output.claimId(own(start, 'id'), 'item_')
    const { text, position } = output.open({ ...withoutText(start), id })
    this.#position = position
    this.#progress = new ProgressEncoder(own(start, 'type'), position, output)
    this.opening = text + this.#progress.begin(start)
  }

  delta(): string {
    return ''
  }

  end(ended: Part): string {
    const { id } = this.#position
    const item = { ...(itemOf(ended, this.#writer) ?? this.#start), id, type: own(this.#start, 'type') }
    return this.#progress.end(item) + this.#output.close(this.#position, item)
  }

  cut(): Part {
    return cutPart(this.#part)
  }
}

function itemOf(part: Part, writer: EncodeContext): JsonObject | undefined {
  if (part.kind === 'result') return encodeResult(part, writer)
  if (part.kind !== 'hosted' && part.kind !== 'opaque') return undefined
  const { wire, value } = part
  // Clients recognise items by their type and could not read one without.
  return wire === 'responses' && isObject(value) && typeof own(value, 'type') === 'string' ? value : undefined
}
