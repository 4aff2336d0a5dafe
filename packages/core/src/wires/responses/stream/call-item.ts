/** A call that arrives in pieces. Its part starts once name and id are known; arguments that come before then wait. */

import type { JsonObject } from '../../../json/object.ts'
import { assignOwn, own, setOwn } from '../../../json/object.ts'
import { parseJson } from '../../../json/text.ts'
import type { CallPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { inputText } from '../../kit/json-text.ts'
import { decodeCall } from '../calls.ts'
import { decodeTurn } from '../request/turns.ts'
import type { PartTracker } from './part-tracker.ts'
import { announcedPart, TextBuffer } from './part-tracker.ts'
import type { CutItem, OpenItem, StreamItem } from './stream-item.ts'

const inputKeys = { function: 'arguments', custom: 'input' } as const
type Form = CallPart['form']

export class CallItem implements StreamItem {
  #form: Form
  readonly #path: Path
  readonly #parts: PartTracker
  readonly #report: Report
  /** The fields that were announced. */
  readonly #fields: Record<string, unknown> = {}
  readonly #input = new TextBuffer()
  /** The complete input, once an event had it. */
  #completeInput: string | undefined
  /** The index of the part, once that has started. */
  #index: number | undefined

  constructor(form: Form, path: Path, parts: PartTracker, report: Report) {
    this.#form = form
    this.#path = path
    this.#parts = parts
    this.#report = report
  }

  announce(item: JsonObject): void {
    // When an item is announced again, its empty fields do not overwrite filled ones.
    assignFilled(this.#fields, item)
    if (this.#index === undefined) this.#form = formOf(this.#fields) ?? this.#form
    this.#startIfReady()
  }

  append(_type: string, _position: unknown, text: string, escaped?: string | undefined): void {
    if (this.#completeInput === undefined && !this.#isRepetition(text)) this.#write(text, escaped)
  }

  readEvent(type: string, data: JsonObject): void {
    if (type.endsWith('.delta')) {
      this.append(type, undefined, inputText(own(data, 'delta')) ?? '')
      return
    }
    assignFilled(this.#fields, { name: own(data, 'name') })
    this.#startIfReady()
    const value = own(data, 'arguments') ?? own(data, 'input')
    // Some servers send the arguments as an object.
    const input = value === undefined || value === null ? undefined : inputText(value)
    if (input === undefined || (input === '' && this.#input.length > 0)) return
    this.#write(this.#input.missing(input))
    this.#completeInput = input
  }

  finish(item: JsonObject | undefined, isCut: boolean): void {
    const complete = item ?? { ...this.#fields, status: isCut ? 'incomplete' : 'completed' }
    const part = decodeCall(this.#completeBody(complete), this.#path, this.#form)
    if (part === undefined) {
      this.#finishNameless(item)
      return
    }
    const index = this.#index ?? this.#start(part)
    this.#parts.delta(index, this.#input.missing(part.input))
    this.#parts.end(index, part)
  }

  cut({ announced }: OpenItem): CutItem {
    const key = inputKeys[this.#form]
    const initial = own(this.#fields, key)
    const arrived = this.#input.length === 0 && isFilled(initial) ? initial : this.#input.text()
    const input = { [key]: this.#completeInput ?? arrived }
    return {
      item: { ...announced, ...this.#fields, ...input, status: 'incomplete' },
      // Clients take the event that ends the arguments as leave to run them.
      closing: [],
    }
  }

  #startIfReady(): void {
    const fields = this.#fields
    if (this.#index !== undefined || !isFilled(own(fields, 'name')) || !isFilled(own(fields, 'call_id')))
      return
    const item = assignOwn({}, fields)
    item[inputKeys[this.#form]] = ''
    const part = decodeCall(item, this.#path, this.#form)
    if (part !== undefined) this.#start(part)
  }

  #start(part: CallPart): number {
    const index = this.#parts.start(announcedPart(part))
    this.#index = index
    this.#parts.delta(index, this.#input.text())
    return index
  }

  #write(text: string, escaped?: string | undefined): void {
    if (text === '') return
    this.#input.push(text)
    if (this.#index !== undefined) this.#parts.delta(this.#index, text, escaped)
  }

  /** Whether complete arguments come once more in full. Free text may well contain the same words twice. */
  #isRepetition(text: string): boolean {
    if (this.#form !== 'function' || text.length !== this.#input.length || text.length < 2) return false
    return this.#input.text() === text && isObjectText(text)
  }

  /** The item with what was known before: name and id that the part started with, and the input. */
  #completeBody(item: JsonObject): JsonObject {
    const body: Record<string, unknown> = { ...item }
    for (const key of ['name', 'call_id']) {
      const known = own(this.#fields, key)
      const counts = this.#index !== undefined || !isFilled(own(item, key))
      if (counts && known !== undefined) body[key] = known
    }
    body[inputKeys[this.#form]] = this.#inputOf(item)
    return body
  }

  /** The input of the complete item, unless that is empty although pieces have come. */
  #inputOf(item: JsonObject): unknown {
    const value = own(item, inputKeys[this.#form])
    const isEmpty = value === undefined || value === null || value === ''
    if (!isEmpty) return value
    return this.#completeInput ?? (this.#input.length > 0 ? this.#input.text() : value)
  }

  /** A call that never got a name: its item is kept as it is, and pieces without an item are reported. */
  #finishNameless(item: JsonObject | undefined): void {
    this.#parts.loseCall({ type: 'function_call' }, this.#path)
    if (item !== undefined) {
      for (const part of decodeTurn(item, this.#path, this.#report).parts) this.#parts.add(part)
    } else if (this.#input.length > 0) {
      const message = 'The stream never said which tool this call is for; it was left out.'
      this.#report('part_dropped', this.#path, message)
    }
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** An empty string or `null` is a placeholder for something to come, or means nothing. */
function assignFilled(target: Record<string, unknown>, item: JsonObject): void {
  for (const key of Object.keys(item)) {
    const value = item[key]
    if (value !== '' && value !== null && value !== undefined) setOwn(target, key, value)
  }
}

function formOf(item: JsonObject): Form | undefined {
  const type = own(item, 'type')
  if (type === 'function_call') return 'function'
  return type === 'custom_tool_call' ? 'custom' : undefined
}

function isObjectText(text: string): boolean {
  return text.trimStart().startsWith('{') && parseJson(text) !== undefined
}
