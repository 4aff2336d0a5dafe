/** The output of a streamed answer as it grows: numbered frames, items at dense places, ids that stay. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject } from '../../../json/object.ts'
import { jsonString } from '../../../json/text.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'

/** An item that has begun. */
export interface Place {
  readonly at: number
  readonly id: string
}

/** What stands around each piece of one text. */
export interface DeltaFrame {
  readonly opening: string
  readonly closing: string
}

/** A field that may be long, and has been written as JSON already. */
export interface KnownField {
  readonly key: string
  readonly json: string
}

export interface StreamOutput {
  frame(type: string, fields: JsonObject, known?: KnownField): string
  /** A frame whose fields are JSON already. */
  told(type: string, fields: string): string
  /** The number of the next frame. */
  next(): number
  /** After frames and whole items that somebody else has sent. */
  goOnFrom(next: number, items: readonly JsonObject[]): void
  /** A frame for one more piece of text, given as it stands between the quotes of JSON; the rest is from `deltaFrame`. */
  delta(frame: DeltaFrame, letters: string): string
  /** An id that no other item of this answer has: the given one if possible, else one made from it, else a new one. */
  claimId(given: unknown, prefix: string): string
  /** Announces an item, whose `id` has been claimed. */
  open(item: JsonObject & { readonly id: string }): { readonly text: string; readonly place: Place }
  close(place: Place, item: JsonObject, known?: KnownField): string
  /** Closes an item once it is clear that it was not the last one of an answer that was cut short. */
  closeIfWhole(place: Place, item: JsonObject, known?: KnownField): string
  /** Closes the item that waits for this. */
  release(isCut?: boolean): string
  isLast(place: Place): boolean
  /** The items that are complete. */
  items(): JsonObject[]
  /** The same as JSON; nothing when one of them cannot be written. */
  itemsText(): string | undefined
}

interface ClosedItem {
  readonly item: JsonObject
  readonly text: string | undefined
}

/** The fields before the text are JSON; so is what comes `after` it. */
export function deltaFrame(type: string, fields: string, after = ''): DeltaFrame {
  return {
    // Joined, since engines would put a sum of texts together anew for each piece.
    opening: ['event: ', type, '\ndata: {"type":"', type, '",', fields, ',"delta":"'].join(''),
    closing: `"${after},"sequence_number":`,
  }
}

/** Which item an event is about, as JSON. */
export function placeText({ id, at }: Place): string {
  return `"item_id":${jsonString(id)},"output_index":${at}`
}

export function createStreamOutput(context: AnswerContext, report: Report): StreamOutput {
  const items: (ClosedItem | undefined)[] = []
  const ids = new Set<string>()
  let waiting:
    | { readonly place: Place; readonly item: JsonObject; readonly known: KnownField | undefined }
    | undefined
  let sequence = 0

  /** A frame about an item, whose JSON is nothing when it is nested too deep. */
  const told = (type: string, { at }: Place, item: JsonObject, text: string | undefined): string =>
    text === undefined
      ? output.frame(type, { output_index: at, item })
      : output.told(type, `"output_index":${at},"item":${text}`)

  const output: StreamOutput = {
    frame(type, fields, known) {
      const event = { type, ...fields, sequence_number: sequence++ }
      return `event: ${type}\ndata: ${textWith(event, known) ?? pruned(event, report)}\n\n`
    },
    told: (type, fields) =>
      `event: ${type}\ndata: {"type":"${type}",${fields},"sequence_number":${sequence++}}\n\n`,
    next: () => sequence,
    goOnFrom(next, given) {
      sequence = next
      for (const item of given) items.push({ item, text: jsonText(item) })
    },
    delta: ({ opening, closing }, letters) => `${opening}${letters}${closing}${sequence++}}\n\n`,
    claimId(given, prefix) {
      let id = typeof given === 'string' && given !== '' ? given : context.newId(prefix)
      while (ids.has(id)) id += '_'
      ids.add(id)
      return id
    },
    open(item) {
      const place = { at: items.push(undefined) - 1, id: item.id }
      return { text: told('response.output_item.added', place, item, jsonText(item)), place }
    },
    // Texts are added up and not joined: engines keep sums of texts as such, so that long ones are not copied.
    close(place, item, known) {
      const text = textWith(item, known)
      items[place.at] = { item, text }
      return told('response.output_item.done', place, item, text)
    },
    closeIfWhole(place, item, known) {
      if (!output.isLast(place)) return output.close(place, item, known)
      waiting = { place, item, known }
      return ''
    },
    release(isCut = false) {
      if (waiting === undefined) return ''
      const { place, item, known } = waiting
      waiting = undefined
      return output.close(place, isCut ? { ...item, status: 'incomplete' } : item, known)
    },
    isLast: place => place.at === items.length - 1,
    items: () => items.filter(closed => closed !== undefined).map(({ item }) => item),
    itemsText() {
      let list = ''
      for (const closed of items) {
        if (closed === undefined) continue
        if (closed.text === undefined) return undefined
        list += list === '' ? closed.text : `,${closed.text}`
      }
      return `[${list}]`
    },
  }
  return output
}

export function knownAs(key: string, json: string | undefined): KnownField | undefined {
  return json === undefined ? undefined : { key, json }
}

/** The value as JSON, with the field in it that has been written before. */
export function textWith(value: JsonObject, known: KnownField | undefined): string | undefined {
  if (known === undefined) return jsonText(value)
  let fields = ''
  for (const key of Object.keys(value)) {
    const json = key === known.key ? known.json : jsonText(value[key])
    if (json !== undefined) fields += `${fields === '' ? '' : ','}${jsonString(key)}:${json}`
    else if (value[key] !== undefined) return undefined
  }
  return `{${fields}}`
}

/** The platform cannot write what is nested too deep, so the client gets what is above. */
function pruned(event: JsonObject, report: Report): string {
  report('field_dropped', [], 'A part of the stream is nested too deep to be written; it was left out.')
  return JSON.stringify(prune(event, 64))
}

function prune(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth === 0) return null
  if (!isObject(value)) return (value as readonly unknown[]).map(item => prune(item, depth - 1))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, prune(item, depth - 1)]))
}
