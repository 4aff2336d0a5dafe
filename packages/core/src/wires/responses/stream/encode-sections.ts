/**
 * Writes the sections of a reasoning. Clients of this wire show summaries, so the text of other wires is written
 * as a summary, as long as there is no other.
 */
import type { ReasoningPart } from '../../../model/conversation.ts'
import type { DeltaFrame, ItemPosition, StreamOutput } from './encode-frames.ts'
import { deltaFrame, positionJson } from './encode-frames.ts'
import type { WrittenText } from './written-text.ts'

type Texts = Pick<ReasoningPart, 'summary' | 'text'>

interface Section {
  /** Whether the source has it in its summary, and the list that it is written to. */
  readonly isSummary: boolean
  readonly list: 'summary' | 'text'
  /** The fields by which its events refer to it, as JSON. */
  readonly reference: string
  readonly frame: DeltaFrame
  readonly written: WrittenText
  complete: string | undefined
}

const lists = {
  summary: {
    index: 'summary_index',
    type: 'summary_text',
    part: 'response.reasoning_summary_part',
    text: 'response.reasoning_summary_text',
  },
  text: {
    index: 'content_index',
    type: 'reasoning_text',
    part: 'response.content_part',
    text: 'response.reasoning_text',
  },
} as const

export class SectionsEncoder {
  readonly #position: ItemPosition
  readonly #output: StreamOutput
  readonly #textAsSummary: boolean
  readonly #sections = new Map<string, Section>()
  readonly #counts = { summary: 0, text: 0 }
  #hasSummary = false
  #open: Section | undefined

  constructor(position: ItemPosition, output: StreamOutput, textAsSummary: boolean) {
    this.#position = position
    this.#output = output
    this.#textAsSummary = textAsSummary
  }

  /** `escaped` is the text as JSON, where known. */
  delta(isSummary: boolean, number: number, text: string, escaped?: string | undefined): string {
    const key = keyOf(isSummary, number)
    const known = this.#sections.get(key)
    // A section that was closed cannot be continued; the item at the end holds the rest.
    if (known !== undefined) return known === this.#open ? this.#append(known, text, escaped) : ''
    const before = this.#close()
    const section = this.#start(isSummary, key)
    return before + this.#announce(section) + this.#append(section, text, escaped)
  }

  /** What has not come yet, and the end of every section. */
  end(complete: Texts, repeats: boolean): string {
    let out = ''
    complete.summary.forEach((text, number) => {
      out += this.#finish(true, number, text, repeats)
    })
    complete.text.forEach((text, number) => {
      out += this.#finish(false, number, text, repeats)
    })
    return out + this.#close()
  }

  /** The sections in the lists that they were written to. */
  written(): Texts {
    return this.#collect((section, list) => section.list === list)
  }

  /** The sections in the lists that the source has them in, as far as they got. */
  received(): Texts {
    return this.#collect((section, list) => section.isSummary === (list === 'summary'))
  }

  #start(isSummary: boolean, key: string): Section {
    this.#hasSummary ||= isSummary
    const list = isSummary || (this.#textAsSummary && !this.#hasSummary) ? 'summary' : 'text'
    const { index, text } = lists[list]
    const reference = `${positionJson(this.#position)},"${index}":${this.#counts[list]++}`
    const frame = deltaFrame(`${text}.delta`, reference)
    const written = this.#output.newText()
    const section: Section = { isSummary, list, reference, frame, written, complete: undefined }
    this.#sections.set(key, section)
    this.#open = section
    return section
  }

  #announce({ list, reference }: Section): string {
    const { part, type } = lists[list]
    return this.#output.rawFrame(`${part}.added`, `${reference},"part":{"type":"${type}","text":""}`)
  }

  #append({ frame, written }: Section, text: string, escaped?: string | undefined): string {
    return text === '' ? '' : this.#output.delta(frame, written.add(text, escaped))
  }

  #finish(isSummary: boolean, number: number, complete: string, repeats: boolean): string {
    const key = keyOf(isSummary, number)
    const known = this.#sections.get(key)
    if (known !== undefined && known !== this.#open) {
      known.complete = complete
      return ''
    }
    if (known !== undefined) return this.#close(complete, repeats)
    const before = this.#close()
    return before + this.#announce(this.#start(isSummary, key)) + this.#close(complete)
  }

  /** Sections follow one another on this wire: the next one ends the one before. */
  #close(complete?: string, repeats = complete === undefined): string {
    const section = this.#open
    if (section === undefined) return ''
    const { list, reference, written } = section
    const { part, text: event, type } = lists[list]
    const rest = complete === undefined ? '' : this.#append(section, complete.slice(written.length))
    const text = complete ?? written.text()
    const json = this.#output.textJson(written, text, repeats)
    section.complete = text
    this.#open = undefined
    return (
      rest +
      this.#output.rawFrame(`${event}.done`, `${reference},"text":${json}`) +
      this.#output.rawFrame(`${part}.done`, `${reference},"part":{"type":"${type}","text":${json}}`)
    )
  }

  #collect(belongs: (section: Section, list: 'summary' | 'text') => boolean): Texts {
    const texts = (list: 'summary' | 'text'): string[] =>
      [...this.#sections.values()]
        .filter(section => belongs(section, list))
        .map(({ complete, written }) => complete ?? written.text())
    return { summary: texts('summary'), text: texts('text') }
  }
}

function keyOf(isSummary: boolean, number: number): string {
  return `${isSummary ? 'summary' : 'text'} ${number}`
}
