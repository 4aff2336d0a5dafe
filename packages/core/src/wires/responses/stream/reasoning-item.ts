/** Reasoning that comes in pieces: sections of a summary, sections of the text itself, and a seal at the end. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, omit, own } from '../../../json/object.ts'
import type { Path } from '../../../model/diagnostic.ts'
import { decodeReasoning } from '../reasoning.ts'
import type { StreamItem } from './open-items.ts'
import { closeText, cutHead, placeInItem } from './open-items.ts'
import type { PartSink, TextRun } from './part-tracker.ts'
import { createTextRun, missingOf } from './part-tracker.ts'

/** The sections of one of the two lists, numbered in the order in which they came. */
interface Sections {
  readonly summary: boolean
  readonly places: Map<number, number>
  readonly runs: TextRun[]
}

const createSections = (summary: boolean): Sections => ({ summary, places: new Map(), runs: [] })

export function createReasoningItem(path: Path, sink: PartSink): StreamItem {
  const summary = createSections(true)
  const text = createSections(false)
  let head: JsonObject = {}
  let index: number | undefined

  const begin = (): number => {
    // The seal given at the start may not be the one that counts.
    const start = omit(head, ['summary', 'content', 'encrypted_content'])
    index ??= sink.start(decodeReasoning({ ...start, type: 'reasoning', summary: [] }, path))
    return index
  }

  const place = (sections: Sections, given: unknown): number => {
    const key = typeof given === 'number' ? given : 0
    const known = sections.places.get(key)
    if (known !== undefined) return known
    sections.places.set(key, sections.runs.length)
    return sections.runs.push(createTextRun()) - 1
  }

  const sectionsOf = (type: string): Sections => (type.includes('summary') ? summary : text)

  const say = (sections: Sections, section: number, said: unknown): void => {
    if (typeof said !== 'string' || said === '') return
    sections.runs[section]?.push(said)
    sink.delta(begin(), said, { summary: sections.summary, section })
  }

  const sayRest = (sections: Sections, section: number, whole: unknown): void => {
    const run = sections.runs[section]
    if (typeof whole === 'string') say(sections, section, run === undefined ? whole : missingOf(run, whole))
  }

  return {
    add(item) {
      head = { ...head, ...item }
      begin()
    },
    more(type, given, said) {
      const sections = sectionsOf(type)
      const at = place(sections, given)
      begin()
      say(sections, at, said)
    },
    take(type, data) {
      const sections = sectionsOf(type)
      const at = place(sections, placeInItem(type, data))
      begin()
      const part = own(data, 'part')
      if (type.endsWith('.delta')) say(sections, at, own(data, 'delta'))
      else if (type.endsWith('.done'))
        sayRest(sections, at, isObject(part) ? own(part, 'text') : own(data, 'text'))
    },
    finish(item) {
      const whole = item ?? omit(head, ['encrypted_content', 'status'])
      const part = decodeReasoning(
        {
          ...whole,
          ...fillIn(whole, 'summary', 'summary_text', summary),
          ...fillIn(whole, 'content', 'reasoning_text', text),
        },
        path,
      )
      const at = begin()
      for (const [section, line] of part.summary.entries()) sayRest(summary, section, line)
      for (const [section, line] of part.text.entries()) sayRest(text, section, line)
      sink.end(at, part)
    },
    cut: open => ({
      item: {
        ...cutHead(open.head),
        ...fillIn({}, 'summary', 'summary_text', summary),
        ...fillIn({}, 'content', 'reasoning_text', text),
      },
      closing: [summary, text].flatMap(({ summary: isSummary, places, runs }) =>
        [...places].flatMap(([place, section]) => {
          const said = runs[section]?.text() ?? ''
          return closeText(open, {
            textDone: isSummary ? 'response.reasoning_summary_text.done' : 'response.reasoning_text.done',
            text: { text: said },
            partEvents: isSummary ? 'response.reasoning_summary_part' : 'response.content_part',
            part: { type: isSummary ? 'summary_text' : 'reasoning_text', text: said },
            indexKey: isSummary ? 'summary_index' : 'content_index',
            at: place,
          })
        }),
      ),
    }),
  }
}

/** What came in pieces stands where the complete item says nothing. */
function fillIn(item: JsonObject, key: string, type: string, { runs }: Sections): JsonObject {
  const list = own(item, key)
  if (runs.length === 0 || (Array.isArray(list) && list.length > 0)) return {}
  return { [key]: runs.map(run => ({ type, text: run.text() })) }
}
