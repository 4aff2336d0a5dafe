/** Lines as events: `begin`, `say`, `use`, `more`, `closed`, then `end` or `problem`. */

import { isObject, own } from '@toolwire/core/json'
import type { CallPart, JsonObject, StreamDecoder, StreamEvent } from '@toolwire/core/wires'
import { createFieldReader, finishEvent, startEvent, textDelta } from '@toolwire/core/wires'
import { decodeFinish, decodeProblem, decodeUsage } from './answer.ts'
import { textPart } from './parts.ts'

interface OpenCall {
  readonly index: number
  readonly part: CallPart
  input: string
}

export function createStreamDecoder(): StreamDecoder {
  return new Decoder()
}

class Decoder implements StreamDecoder {
  #events: StreamEvent[] = []
  #isStarted = false
  #isDone = false
  #parts = 0
  #text: { readonly index: number; text: string } | undefined
  readonly #open = new Map<number, OpenCall>()
  #hasCalls = false

  push({ data }: { readonly data: string }): StreamEvent[] {
    if (!this.#isDone && data.trim() !== '') this.#readLine(data)
    return this.#take()
  }

  end(): StreamEvent[] {
    if (!this.#isDone) this.#fail({ text: 'The stream ended before the answer was complete.' })
    return this.#take()
  }

  #take(): StreamEvent[] {
    const taken = this.#events
    this.#events = []
    return taken
  }

  #readLine(data: string): void {
    let line: unknown
    try {
      line = JSON.parse(data)
    } catch {
      this.#fail({ text: 'A line of the stream is not JSON.' })
      return
    }
    if (isObject(line)) this.#read(line)
  }

  #read(line: JsonObject): void {
    const { begin, say, use, more, closed, end, problem } = line
    if (problem !== undefined) this.#fail(problem)
    else if (isObject(begin)) this.#begin(begin)
    else if (typeof say === 'string') this.#say(say)
    else if (isObject(use)) this.#startCall(use)
    else if (isObject(more)) this.#addToCall(own(more, 'at'), own(more, 'with'))
    else if (typeof closed === 'number') this.#closeCall(closed, false)
    else if (isObject(end)) this.#finish(end)
  }

  #begin(begin: JsonObject = {}): void {
    if (this.#isStarted) return
    this.#isStarted = true
    const fields = createFieldReader(begin)
    this.#events.push(startEvent(fields.string('reply'), fields.string('model')))
  }

  #say(text: string): void {
    this.#begin()
    if (this.#text === undefined) {
      this.#text = { index: this.#parts++, text: '' }
      this.#events.push({ type: 'part-start', index: this.#text.index, part: textPart('', ['say']) })
    }
    this.#text.text += text
    this.#events.push(textDelta(this.#text.index, text))
  }

  #startCall(use: JsonObject): void {
    const fields = createFieldReader(use)
    const at = fields.number('at')
    const name = fields.string('tool')
    const id = fields.string('key')
    if (at === undefined || name === undefined || this.#open.has(at)) return
    this.#begin()
    this.#hasCalls = true
    const part: CallPart = {
      kind: 'call',
      form: 'function',
      name,
      input: '',
      path: ['use', at],
      ...(id !== undefined && { id }),
    }
    const index = this.#parts++
    this.#open.set(at, { index, part, input: '' })
    this.#events.push({ type: 'part-start', index, part })
  }

  #addToCall(at: unknown, text: unknown): void {
    const call = this.#open.get(Number(at))
    if (call === undefined || typeof text !== 'string') return
    call.input += text
    this.#events.push(textDelta(call.index, text))
  }

  #closeCall(at: number, isCut: boolean): void {
    const call = this.#open.get(at)
    if (call === undefined) return
    if (call.input === '' && !isCut) this.#addToCall(at, '{}')
    this.#open.delete(at)
    const part: CallPart = { ...call.part, input: call.input, ...(isCut && { status: 'incomplete' }) }
    this.#events.push({ type: 'part-end', index: call.index, part })
  }

  #closeAll(isCut: boolean): void {
    this.#begin()
    if (this.#text !== undefined) {
      const { index, text } = this.#text
      this.#events.push({ type: 'part-end', index, part: textPart(text, ['say']) })
      this.#text = undefined
    }
    for (const at of [...this.#open.keys()]) this.#closeCall(at, isCut)
  }

  #finish(end: JsonObject): void {
    const fields = createFieldReader(end)
    const finish = decodeFinish(fields.string('ended'), this.#hasCalls)
    const usage = decodeUsage(fields.object('tokens'))
    this.#closeAll(finish.reason === 'length')
    this.#events.push(finishEvent(finish, usage, { wire: 'relay', at: [], entries: fields.unread() }))
    this.#isDone = true
  }

  #fail(problem: unknown): void {
    this.#closeAll(true)
    this.#events.push({ type: 'error', error: decodeProblem(problem) })
    this.#isDone = true
  }
}
