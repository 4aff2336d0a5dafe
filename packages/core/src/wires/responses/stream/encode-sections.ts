/**
 * Writes the sections of a reasoning. Clients of this wire show summaries, so the text of other wires is written
 * as one as long as there is no other.
 */
import type { ReasoningPart } from '../../../model/conversation.ts'
import type { DeltaFrame, Place, StreamOutput } from './output.ts'
import { deltaFrame, placeText } from './output.ts'
import type { WrittenText } from './written-text.ts'
import { createWrittenText } from './written-text.ts'

type Texts = Pick<ReasoningPart, 'summary' | 'text'>

export interface SectionWriter {
  /** There may be letters for the text already. */
  add(summary: boolean, section: number, text: string, letters?: string | undefined): string
  /** What has not come yet, and the end of every section. */
  end(whole: Texts): string
  /** The sections under the names they were written under. */
  written(): Texts
  /** The sections as they were given, as far as they got. */
  given(): Texts
}

interface Section {
  readonly summary: boolean
  readonly list: 'summary' | 'text'
  /** Its place as JSON. */
  readonly where: string
  readonly frame: DeltaFrame
  readonly run: WrittenText
  whole: string | undefined
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

export function createSectionWriter(place: Place, output: StreamOutput, showText: boolean): SectionWriter {
  const sections = new Map<string, Section>()
  const counts = { summary: 0, text: 0 }
  let hasSummary = false
  let open: Section | undefined

  const close = (whole?: string): string => {
    if (open === undefined) return ''
    const { list, where, run } = open
    const { part, text: event, type } = lists[list]
    const rest = whole === undefined ? '' : say(open, whole.slice(run.length))
    const text = whole ?? run.text()
    const json = run.json(text)
    open.whole = text
    open = undefined
    return (
      rest +
      output.told(`${event}.done`, `${where},"text":${json}`) +
      output.told(`${part}.done`, `${where},"part":{"type":"${type}","text":${json}}`)
    )
  }

  const say = ({ frame, run }: Section, text: string, letters?: string | undefined): string =>
    text === '' ? '' : output.delta(frame, run.add(text, letters))

  /** Sections follow one another on this wire: the next one ends the one before. */
  const begin = (summary: boolean, key: string): { section: Section; text: string } => {
    hasSummary ||= summary
    const list = summary || (showText && !hasSummary) ? 'summary' : 'text'
    const { index, part, text: event, type } = lists[list]
    const where = `${placeText(place)},"${index}":${counts[list]++}`
    const frame = deltaFrame(`${event}.delta`, where)
    const text = close() + output.told(`${part}.added`, `${where},"part":{"type":"${type}","text":""}`)
    const section: Section = { summary, list, where, frame, run: createWrittenText(), whole: undefined }
    sections.set(key, section)
    open = section
    return { section, text }
  }

  const finish = (summary: boolean, at: number, whole: string): string => {
    const key = keyOf(summary, at)
    const known = sections.get(key)
    if (known !== undefined && known !== open) {
      known.whole = whole
      return ''
    }
    const begun = known === undefined ? begin(summary, key).text : ''
    return begun + close(whole)
  }

  const collect = (fits: (section: Section, list: 'summary' | 'text') => boolean): Texts => {
    const texts = (list: 'summary' | 'text'): string[] =>
      [...sections.values()]
        .filter(section => fits(section, list))
        .map(({ whole, run }) => whole ?? run.text())
    return { summary: texts('summary'), text: texts('text') }
  }

  return {
    add(summary, at, text, letters) {
      const key = keyOf(summary, at)
      const known = sections.get(key)
      // A section that was left is complete only in the item at the end.
      if (known !== undefined) return known === open ? say(known, text, letters) : ''
      const { section, text: begun } = begin(summary, key)
      return begun + say(section, text, letters)
    },
    end(whole) {
      const summary = whole.summary.map((text, at) => finish(true, at, text))
      return summary.join('') + whole.text.map((text, at) => finish(false, at, text)).join('') + close()
    },
    written: () => collect((section, list) => section.list === list),
    given: () => collect((section, list) => section.summary === (list === 'summary')),
  }
}

function keyOf(summary: boolean, at: number): string {
  return `${summary ? 'summary' : 'text'} ${at}`
}
