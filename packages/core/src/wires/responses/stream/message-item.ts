/** A message that comes in pieces: each part of its content is a part of its own. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Part, RefusalPart, TextPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodePart } from '../parts.ts'
import { decodeTurn } from '../request/turns.ts'
import type { StreamItem } from './open-items.ts'
import { closeText } from './open-items.ts'
import type { PartSink, TextRun } from './part-tracker.ts'
import { createTextRun, missingOf, unsaid } from './part-tracker.ts'

type Kind = 'text' | 'refusal'
type SaidPart = TextPart | RefusalPart

interface OpenContent {
  readonly kind: Kind
  /** Its place in the content. */
  readonly at: number
  readonly index: number
  readonly run: TextRun
  readonly annotations: unknown[]
  /** The part as the wire gave it at its end. */
  whole?: JsonObject
  ended: boolean
}

const silent: Report = () => {}

export function createMessageItem(path: Path, sink: PartSink, report: Report): StreamItem {
  const contents = new Map<string, OpenContent>()
  let last: OpenContent | undefined

  const partPath = (at: number): Path => [...path, 'content', at]

  const find = (kind: Kind, given: unknown): OpenContent | undefined => {
    if (last?.kind === kind && (last.at === given || typeof given !== 'number')) return last
    return contents.get(`${kind} ${typeof given === 'number' ? given : 0}`)
  }

  /** The content an event is about, begun if nobody announced it. */
  const open = (kind: Kind, given: unknown): OpenContent => {
    let content = find(kind, given)
    if (content === undefined) {
      const at = typeof given === 'number' ? given : 0
      const index = sink.start(unsaid({ kind, text: '', path: partPath(at) }))
      content = { kind, at, index, run: createTextRun(), annotations: [], ended: false }
      contents.set(`${kind} ${at}`, content)
    }
    last = content
    return content
  }

  const say = (content: OpenContent, text: unknown): void => {
    if (content.ended || typeof text !== 'string' || text === '') return
    content.run.push(text)
    sink.delta(content.index, text)
  }

  const end = (content: OpenContent, given: Part | undefined): void => {
    if (content.ended) return
    const part =
      given?.kind === content.kind
        ? given
        : decodePart(contentOf(content), partPath(content.at), 'assistant', silent)
    const whole = withText(part, content.run)
    if (isSaid(whole)) say(content, missingOf(content.run, whole.text))
    content.ended = true
    sink.end(content.index, whole)
  }

  const sayRest = (content: OpenContent, whole: unknown): void => {
    if (typeof whole === 'string') say(content, missingOf(content.run, whole))
  }

  return {
    add() {},
    more: (type, at, text) => say(open(kindOfDelta(type), at), text),
    take(type, data) {
      const at = own(data, 'content_index')
      switch (type) {
        case 'response.output_text.delta':
        case 'response.refusal.delta':
          say(open(kindOfDelta(type), at), own(data, 'delta'))
          break
        case 'response.output_text.done':
          sayRest(open('text', at), own(data, 'text'))
          break
        case 'response.refusal.done':
          sayRest(open('refusal', at), own(data, 'refusal'))
          break
        case 'response.output_text.annotation.added':
          open('text', at).annotations.push(own(data, 'annotation'))
          break
        default: {
          const part = own(data, 'part')
          const kind = kindOf(part)
          const content = kind && open(kind, at)
          if (content !== undefined && type.endsWith('.done')) {
            if (isObject(part)) content.whole = part
            end(content, decodePart(part, partPath(content.at), 'assistant', report))
          }
        }
      }
    },
    finish(item) {
      const begun = contents.size > 0
      const turn = item && decodeTurn({ ...item, role: roleOf(item) }, path, begun ? silent : report)
      const parts = turn?.parts ?? []
      // A place that the complete message contradicts was told wrong: such contents are matched in their order.
      const misplaced = [...contents.values()].filter(({ at, kind }) => parts[at]?.kind !== kind)
      for (const [at, part] of parts.entries()) {
        const content = isSaid(part)
          ? (contents.get(`${part.kind} ${at}`) ?? takeKind(misplaced, part))
          : undefined
        if (content === undefined) sink.whole(part)
        else end(content, part)
      }
      for (const content of contents.values()) end(content, undefined)
      // Events hold parts and nothing around them, so what stood on the message itself ends here.
      if (turn !== undefined) reportResidue(turn.residue, report)
    },
    cut(open) {
      const parts = [...contents.values()].map(content => ({
        content,
        part: content.whole ?? contentOf(content),
      }))
      // What it was announced with stands as long as no piece has come.
      const content = parts.length === 0 ? (own(open.head, 'content') ?? []) : parts.map(({ part }) => part)
      return {
        item: { ...open.head, status: 'incomplete', content },
        closing: parts.flatMap(({ content: { kind, at, run }, part }) =>
          closeText(open, {
            textDone: kind === 'text' ? 'response.output_text.done' : 'response.refusal.done',
            text: kind === 'text' ? { text: run.text(), logprobs: [] } : { refusal: run.text() },
            partEvents: 'response.content_part',
            part,
            indexKey: 'content_index',
            at,
          }),
        ),
      }
    },
  }
}

function kindOfDelta(type: string): Kind {
  return type === 'response.refusal.delta' ? 'refusal' : 'text'
}

function kindOf(part: unknown): Kind | undefined {
  const type = isObject(part) ? own(part, 'type') : undefined
  if (type === 'output_text' || type === 'text') return 'text'
  return type === 'refusal' ? 'refusal' : undefined
}

function isSaid(part: Part): part is SaidPart {
  return part.kind === 'text' || part.kind === 'refusal'
}

/** What came in pieces stands where the complete part says nothing. */
function withText(part: Part, run: TextRun): Part {
  return isSaid(part) && part.text === '' && run.length > 0 ? { ...part, text: run.text() } : part
}

function contentOf({ kind, run, annotations }: OpenContent): JsonObject {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: run.text() }
    : { type: 'output_text', text: run.text(), annotations }
}

function roleOf(item: JsonObject): unknown {
  const role = own(item, 'role')
  return typeof role === 'string' ? role : 'assistant'
}

function takeKind(contents: OpenContent[], { kind }: SaidPart): OpenContent | undefined {
  return contents[0]?.kind === kind ? contents.shift() : undefined
}
