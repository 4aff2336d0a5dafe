/** A message that arrives in pieces: each part of its content is a part of its own. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { Part, RefusalPart, TextPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { reportResidue } from '../../kit/report-residue.ts'
import { decodePart } from '../parts.ts'
import { decodeTurn } from '../request/turns.ts'
import type { PartTracker } from './part-tracker.ts'
import { announcedPart, TextBuffer } from './part-tracker.ts'
import type { CutItem, OpenItem, StreamItem } from './stream-item.ts'
import { closeText } from './stream-item.ts'

type Kind = 'text' | 'refusal'

interface OpenContent {
  readonly kind: Kind
  /** Its index in the content. */
  readonly position: number
  /** The index of its part. */
  readonly index: number
  readonly buffer: TextBuffer
  readonly annotations: unknown[]
  /** The content part that came with its end. */
  complete: JsonObject | undefined
  isEnded: boolean
}

const silent: Report = () => {}

export class MessageItem implements StreamItem {
  readonly #path: Path
  readonly #parts: PartTracker
  readonly #report: Report
  readonly #contents = new Map<string, OpenContent>()
  #last: OpenContent | undefined

  constructor(path: Path, parts: PartTracker, report: Report) {
    this.#path = path
    this.#parts = parts
    this.#report = report
  }

  announce(): void {}

  append(type: string, position: unknown, text: string, escaped: string | undefined): void {
    this.#append(this.#open(kindOfDelta(type), position), text, escaped)
  }

  readEvent(type: string, data: JsonObject): void {
    const position = own(data, 'content_index')
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        this.#append(this.#open(kindOfDelta(type), position), own(data, 'delta'))
        break
      case 'response.output_text.done':
        this.#appendMissing(this.#open('text', position), own(data, 'text'))
        break
      case 'response.refusal.done':
        this.#appendMissing(this.#open('refusal', position), own(data, 'refusal'))
        break
      case 'response.output_text.annotation.added':
        this.#open('text', position).annotations.push(own(data, 'annotation'))
        break
      default:
        this.#readContentPart(own(data, 'part'), position, type.endsWith('.done'))
    }
  }

  finish(item: JsonObject | undefined): void {
    const hasContents = this.#contents.size > 0
    const turn =
      item && decodeTurn({ ...item, role: roleOf(item) }, this.#path, hasContents ? silent : this.#report)
    const parts = turn?.parts ?? []
    // Contents whose index the complete message contradicts are matched in their order.
    const misplaced = [...this.#contents.values()].filter(
      ({ position, kind }) => parts[position]?.kind !== kind,
    )
    for (const [position, part] of parts.entries()) {
      const content = isText(part)
        ? (this.#contents.get(`${part.kind} ${position}`) ?? takeFirst(misplaced, part.kind))
        : undefined
      if (content === undefined) this.#parts.add(part)
      else this.#end(content, part)
    }
    for (const content of this.#contents.values()) this.#end(content, undefined)
    // Events hold parts and nothing around them, so the residue of the message itself is lost here.
    if (turn !== undefined) reportResidue(turn.residue, this.#report)
  }

  cut(open: OpenItem): CutItem {
    const contents = [...this.#contents.values()]
    const parts = contents.map(content => content.complete ?? contentPart(content))
    return {
      item: {
        ...open.announced,
        status: 'incomplete',
        content: parts.length === 0 ? (own(open.announced, 'content') ?? []) : parts,
      },
      closing: contents.flatMap(({ kind, position, buffer }, i) =>
        closeText(open, {
          textDone: kind === 'text' ? 'response.output_text.done' : 'response.refusal.done',
          text: kind === 'text' ? { text: buffer.text(), logprobs: [] } : { refusal: buffer.text() },
          partEvents: 'response.content_part',
          part: parts[i] ?? {},
          indexKey: 'content_index',
          position,
        }),
      ),
    }
  }

  #pathOf(position: number): Path {
    return [...this.#path, 'content', position]
  }

  #find(kind: Kind, position: unknown): OpenContent | undefined {
    const last = this.#last
    if (last?.kind === kind && (last.position === position || typeof position !== 'number')) return last
    return this.#contents.get(`${kind} ${typeof position === 'number' ? position : 0}`)
  }

  /** The content an event is about, started if it was not announced. */
  #open(kind: Kind, given: unknown): OpenContent {
    let content = this.#find(kind, given)
    if (content === undefined) {
      const position = typeof given === 'number' ? given : 0
      const index = this.#parts.start(announcedPart({ kind, text: '', path: this.#pathOf(position) }))
      content = {
        kind,
        position,
        index,
        buffer: new TextBuffer(),
        annotations: [],
        complete: undefined,
        isEnded: false,
      }
      this.#contents.set(`${kind} ${position}`, content)
    }
    this.#last = content
    return content
  }

  #append(content: OpenContent, text: unknown, escaped?: string | undefined): void {
    if (content.isEnded || typeof text !== 'string' || text === '') return
    content.buffer.push(text)
    this.#parts.delta(content.index, text, escaped)
  }

  #appendMissing(content: OpenContent, complete: unknown): void {
    if (typeof complete === 'string') this.#append(content, content.buffer.missing(complete))
  }

  #readContentPart(part: unknown, position: unknown, isDone: boolean): void {
    const kind = kindOf(part)
    if (kind === undefined) return
    const content = this.#open(kind, position)
    if (!isDone) return
    if (isObject(part)) content.complete = part
    this.#end(content, decodePart(part, this.#pathOf(content.position), 'assistant', this.#report))
  }

  #end(content: OpenContent, given: Part | undefined): void {
    if (content.isEnded) return
    const part =
      given?.kind === content.kind
        ? given
        : decodePart(contentPart(content), this.#pathOf(content.position), 'assistant', silent)
    const complete = withText(part, content.buffer)
    if (isText(complete)) this.#appendMissing(content, complete.text)
    content.isEnded = true
    this.#parts.end(content.index, complete)
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

function isText(part: Part): part is TextPart | RefusalPart {
  return part.kind === 'text' || part.kind === 'refusal'
}

/** If the complete part has no text, the pieces count. */
function withText(part: Part, buffer: TextBuffer): Part {
  return isText(part) && part.text === '' && buffer.length > 0 ? { ...part, text: buffer.text() } : part
}

function contentPart({ kind, buffer, annotations }: OpenContent): JsonObject {
  return kind === 'refusal'
    ? { type: 'refusal', refusal: buffer.text() }
    : { type: 'output_text', text: buffer.text(), annotations }
}

function roleOf(item: JsonObject): unknown {
  const role = own(item, 'role')
  return typeof role === 'string' ? role : 'assistant'
}

function takeFirst(contents: OpenContent[], kind: Kind): OpenContent | undefined {
  return contents[0]?.kind === kind ? contents.shift() : undefined
}
