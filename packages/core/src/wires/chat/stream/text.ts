/**
 * The texts of a streamed message: content, refusal and reasoning. One of them is open at a time. When another begins,
 * the open one ends; should it be continued later, that is a part of its own.
 */
import type { JsonObject } from '../../../json/object.ts'
import { own } from '../../../json/object.ts'
import type { Part, ReasoningPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { FieldReader } from '../../kit/field-reader.ts'
import { decodePart } from '../parts.ts'
import type { DetailsField } from '../reasoning.ts'
import { decodeReasoning, detailsIn, fieldOf, joinDetails, textOfDetail } from '../reasoning.ts'
import { decodeMessage } from '../request/turns.ts'
import { decodeThinking, isThinking, joinThinking, textOf, withoutText } from '../thinking.ts'
import type { PartTracker } from './part-tracker.ts'

export type TextKey =
  | 'content'
  | 'refusal'
  | 'reasoning_content'
  | 'reasoning'
  | DetailsField
  /** Of parts of the content. */
  | 'thinking'

interface OpenText {
  readonly key: TextKey
  readonly index: number
  /**
   * A concatenation, not a list that is joined: engines do not copy the pieces until somebody reads the text, and for a
   * long text that nobody reads that is half of the memory.
   */
  text: string
  /** Of reasoning: what its pieces hold beside their text. */
  readonly details: JsonObject[]
}

export class StreamText {
  /** Where the message is. */
  readonly #path: Path
  readonly #parts: PartTracker
  readonly #report: Report
  #current: OpenText | undefined
  /** Annotations and probabilities since the last text that they were added to. */
  #annotations: unknown[] = []
  #logprobs: unknown[] = []

  constructor(path: Path, parts: PartTracker, report: Report) {
    this.#path = path
    this.#parts = parts
    this.#report = report
  }

  read(delta: JsonObject): void {
    const reasoning = own(delta, 'reasoning_content')
    const alias = own(delta, 'reasoning')
    if (typeof reasoning === 'string') this.append('reasoning_content', reasoning)
    // Servers that send both fields send the same text in both.
    if (typeof alias === 'string' && alias !== reasoning) this.append('reasoning', alias)
    const details = detailsIn(delta)
    if (details !== undefined) this.#addDetails(details.field, details.list)
    const content = own(delta, 'content')
    if (typeof content === 'string') this.append('content', content)
    else if (Array.isArray(content)) this.#readContentList(content)
    const refusal = own(delta, 'refusal')
    if (typeof refusal === 'string') this.append('refusal', refusal)
    const annotations = own(delta, 'annotations')
    if (Array.isArray(annotations)) for (const item of annotations) this.#annotations.push(item)
  }

  append(key: TextKey, text: string, escaped?: string | undefined): void {
    if (text === '') return
    let current = this.#current
    if (current?.key !== key) current = this.#open(key)
    current.text += text
    this.#parts.delta(current.index, text, escaped)
  }

  /** Probabilities of the tokens of the content. */
  addLogprobs(list: readonly unknown[]): void {
    for (const item of list) this.#logprobs.push(item)
  }

  /** Another part begins. */
  close(): void {
    if (this.#current !== undefined) this.#parts.end(this.#current.index)
    this.#current = undefined
  }

  /** What would belong to a text, but no text took it. */
  leftovers(): { readonly annotations?: unknown[]; readonly logprobs?: unknown[] } {
    return {
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
      ...(this.#logprobs.length > 0 && { logprobs: this.#logprobs }),
    }
  }

  #open(key: TextKey): OpenText {
    this.close()
    const empty = emptyPart(key, this.#path, this.#parts.count)
    const index = this.#parts.start(empty, () => this.#complete(opened))
    const opened: OpenText = { key, index, text: '', details: [] }
    this.#current = opened
    return opened
  }

  /** They belong to the text beside them. Without one, they are shown for it. */
  #addDetails(field: DetailsField, details: readonly JsonObject[]): void {
    const key = this.#current?.key
    const hasNone = key === undefined || key === 'content' || key === 'refusal' || key === 'thinking'
    const open = hasNone ? this.#open(field) : this.#current
    for (const detail of details) {
      open?.details.push(detail)
      if (open?.key === field) this.append(field, textOfDetail(detail))
    }
  }

  /** A signature is the last of its part. */
  #addThinking(text: string, more: JsonObject | undefined): void {
    this.append('thinking', text)
    if (more === undefined) return
    const open = this.#current?.key === 'thinking' ? this.#current : this.#open('thinking')
    open.details.push(more)
    if (typeof own(more, 'signature') === 'string') this.close()
  }

  #complete({ key, index, text, details }: OpenText): Part {
    const path = [...this.#path, key]
    if (key === 'thinking') {
      return decodeThinking(joinThinking(text, details), [...this.#path, 'content', index])
    }
    if (key === 'refusal') return { kind: 'refusal', text, path }
    if (key !== 'content') return reasoningPart(key, text, details, this.#path)
    const message = { content: text, annotations: this.#annotations }
    const { parts } = decodeMessage(message, 'assistant', this.#path, this.#report)
    const part = parts.find(part => part.kind === 'text')
    if (part?.citations !== undefined) this.#annotations = []
    const logprobs = this.#logprobs
    this.#logprobs = []
    const base = part ?? { kind: 'text', text, path }
    return logprobs.length === 0 ? base : { ...base, logprobs }
  }

  #readContentList(list: readonly unknown[]): void {
    list.forEach((value, i) => {
      if (isThinking(value)) {
        this.#addThinking(textOf(value), withoutText(value))
        return
      }
      const part = decodePart(value, [...this.#path, 'content', i], this.#report)
      if (part.kind === 'text') this.append('content', part.text)
      else if (part.kind === 'refusal') this.append('refusal', part.text)
      else {
        this.close()
        this.#parts.add(part)
      }
    })
  }
}

/** As the unstreamed message would be decoded. */
function reasoningPart(
  key: TextKey,
  text: string,
  details: readonly JsonObject[],
  message: Path,
): ReasoningPart {
  const path = [...message, key]
  if (details.length === 0) return { kind: 'reasoning', summary: [], text: [text], path }
  const list = joinDetails(details)
  const field = fieldOf(list)
  const texts = text === '' || key === field ? {} : { [key]: text }
  const whole = { ...texts, [field]: list }
  const [part] = decodeReasoning(whole, message, new FieldReader(whole), [])
  return part ?? { kind: 'reasoning', summary: [], text: [text], path }
}

function emptyPart(key: TextKey, message: Path, index: number): Part {
  const path = [...message, key]
  if (key === 'thinking') {
    const at = [...message, 'content', index]
    return { kind: 'reasoning', summary: [], text: [], path: at, inContent: true }
  }
  if (key === 'content') return { kind: 'text', text: '', path }
  if (key === 'refusal') return { kind: 'refusal', text: '', path }
  return { kind: 'reasoning', summary: [], text: [], path }
}
