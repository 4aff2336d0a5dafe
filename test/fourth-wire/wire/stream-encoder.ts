/** Events as lines. Text and arguments go out as they come; what was never streamed goes out when its part ends. */

import { own } from '@toolwire/core/json'
import type {
  AnswerContext,
  ApiError,
  FinishEvent,
  Part,
  Report,
  StartEvent,
  StreamEncoder,
  StreamEvent,
} from '@toolwire/core/wires'
import { reportResidue, restoreOrReport } from '@toolwire/core/wires'
import { encodeFinish, encodeProblem, encodeUsage } from './answer.ts'
import { sortParts } from './parts.ts'

const line = (value: object): string => `${JSON.stringify(value)}\n`

interface OpenPart {
  /** Which of the calls it is; `undefined` for text. */
  readonly at: number | undefined
  readonly isWritten: boolean
  sent: number
}

export function createStreamEncoder(context: AnswerContext, report: Report): StreamEncoder {
  return new Encoder(context, report)
}

class Encoder implements StreamEncoder {
  readonly #context: AnswerContext
  readonly #report: Report
  readonly #open = new Map<number, OpenPart>()
  #isStarted = false
  #isDone = false
  #calls = 0
  /** What was written with the `end`, and stands before it. */
  #beforeEnd = ''

  constructor(context: AnswerContext, report: Report) {
    this.#context = context
    this.#report = report
  }

  replaceEnd(error: ApiError): string {
    return this.#beforeEnd + line(encodeProblem(error))
  }

  resume(): void {
    this.#isStarted = true
  }

  push(event: StreamEvent): string {
    if (this.#isDone) return ''
    switch (event.type) {
      case 'start':
        return this.#start(event)
      case 'part-start':
        return this.#start({ type: 'start' }) + this.#startPart(event.index, event.part)
      case 'part-delta':
        return this.#write(event.index, event.text)
      case 'part-end':
        return this.#endPart(event.index, event.part)
      case 'finish':
        this.#beforeEnd = this.#start({ type: 'start' })
        return this.#beforeEnd + this.#finish(event)
      case 'error':
        this.#isDone = true
        return line(encodeProblem(event.error))
    }
  }

  #start({ id, model }: StartEvent): string {
    if (this.#isStarted) return ''
    this.#isStarted = true
    const asked = this.#context.request && own(this.#context.request, 'model')
    const named = model ?? (typeof asked === 'string' ? asked : '')
    return line({ begin: { reply: id ?? this.#context.newId('rl_'), model: named } })
  }

  #startPart(index: number, part: Part): string {
    const isCall = part.kind === 'call'
    const at = isCall ? this.#calls++ : undefined
    const isWritten = isCall || part.kind === 'text' || part.kind === 'refusal'
    this.#open.set(index, { at, isWritten, sent: 0 })
    if (!isCall) return ''
    return line({ use: { at, key: part.id ?? this.#context.newId('use_'), tool: part.name } })
  }

  #write(index: number, text: string): string {
    const part = this.#open.get(index)
    if (part === undefined || !part.isWritten || text === '') return ''
    part.sent += text.length
    return line(part.at === undefined ? { say: text } : { more: { at: part.at, with: text } })
  }

  #endPart(index: number, part: Part): string {
    const open = this.#open.get(index)
    this.#open.delete(index)
    if (open === undefined) return ''
    if (part.kind === 'call') {
      this.#open.set(index, open)
      const rest = this.#write(index, part.input.slice(open.sent))
      this.#open.delete(index)
      reportResidue(part.residue, this.#report)
      return rest + line({ closed: open.at })
    }
    const { say = '' } = sortParts([part], this.#report)
    return open.isWritten && say.length > open.sent ? line({ say: say.slice(open.sent) }) : ''
  }

  #finish({ finish, usage, residue }: FinishEvent): string {
    this.#isDone = true
    if (finish.reason === 'failed')
      return line(encodeProblem({ kind: 'server', message: 'The answer failed.' }))
    const end: Record<string, unknown> = { ended: encodeFinish(finish, residue?.wire === 'relay') }
    if (usage !== undefined) end.tokens = encodeUsage(usage, this.#report)
    restoreOrReport(end, residue, 'relay', this.#report)
    return line({ end })
  }
}
