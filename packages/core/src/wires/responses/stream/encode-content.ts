/** Writes what is said, piece by piece. Parts that follow one another are the content of one message. */

import type { JsonObject } from '../../../json/object.ts'
import { assignOwn, isObject, own } from '../../../json/object.ts'
import type { Part } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { jsonText } from '../../kit/json-text.ts'
import { encodeParts, reportDropped } from '../parts.ts'
import { responsesResidue } from '../residue.ts'
import type { OpenedPart, PartWriter } from './encode-parts.ts'
import { droppedPart } from './encode-parts.ts'
import type { Place, StreamOutput } from './output.ts'
import { deltaFrame, knownAs, placeText, textWith } from './output.ts'
import { createWrittenText } from './written-text.ts'

interface Message {
  readonly place: Place
  readonly key: unknown
  readonly content: unknown[]
  /** The same as JSON. */
  readonly texts: (string | undefined)[]
  open: number
  sealed: boolean
}

export interface MessageWriter {
  open(part: Part): OpenedPart
  /** Nothing more joins the message; it is closed once its parts are. */
  seal(isCut?: boolean): string
}

const said = {
  text: {
    type: 'output_text',
    key: 'text',
    delta: 'response.output_text.delta',
    done: 'response.output_text.done',
    more: ',"logprobs":[]',
    empty: '{"type":"output_text","text":"","annotations":[]}',
  },
  refusal: {
    type: 'refusal',
    key: 'refusal',
    delta: 'response.refusal.delta',
    done: 'response.refusal.done',
    more: '',
    empty: '{"type":"refusal","refusal":""}',
  },
} as const

export function createMessageWriter(
  output: StreamOutput,
  context: AnswerContext,
  report: Report,
): MessageWriter {
  const writer = { report, answer: context }
  let current: Message | undefined

  const head = (id: string, status: string, content: readonly unknown[]): JsonObject & { id: string } => ({
    type: 'message',
    id,
    status,
    role: 'assistant',
    content,
  })

  const join = (part: Part): { text: string; message: Message; at: number } => {
    let text = ''
    if (current?.key !== keyOf(part)) text += seal()
    if (current === undefined) {
      const opened = output.open(head(output.claimId(undefined, 'msg_'), 'in_progress', []))
      text += opened.text
      current = { place: opened.place, key: keyOf(part), content: [], texts: [], open: 0, sealed: false }
    }
    current.open++
    return { text, message: current, at: current.content.push(undefined) - 1 }
  }

  const close = ({ place, content, texts }: Message, isCut: boolean): string => {
    const status = isCut && output.isLast(place) ? 'incomplete' : 'completed'
    const isKnown = texts.every(text => text !== undefined)
    const known = knownAs('content', isKnown ? `[${texts.join(',')}]` : undefined)
    return output.close(place, head(place.id, status, content), known)
  }

  const seal = (isCut = false): string => {
    const message = current
    current = undefined
    if (message === undefined) return ''
    message.sealed = true
    return message.open === 0 ? close(message, isCut) : ''
  }

  const leave = (message: Message, at: number, written: unknown, text: string | undefined): string => {
    message.content[at] = written
    message.texts[at] = text
    message.open--
    return message.sealed && message.open === 0 ? close(message, false) : ''
  }

  const openSaid = (part: Part & { kind: 'text' | 'refusal' }): OpenedPart => {
    const { type, key, delta, done, more, empty } = said[part.kind]
    const { text: joined, message, at } = join(part)
    const where = placeOf(message, at)
    const whereText = `${placeText(message.place)},"content_index":${at}`
    const frame = deltaFrame(delta, whereText, more)
    const run = createWrittenText()
    const add = (text: string, letters?: string | undefined): string =>
      text === '' ? '' : output.delta(frame, run.add(text, letters))
    const write: PartWriter = {
      delta: ({ text, escapedText: letters }) => add(text, letters),
      end(ended) {
        const whole = ended.kind === part.kind ? ended : { ...part, text: run.text() }
        const [given] = encodeParts([whole], 'assistant', writer)
        const written: Record<string, unknown> = part.kind === 'text' ? { annotations: [] } : {}
        if (isObject(given)) assignOwn(written, given)
        written.type = type
        written[key] = whole.text
        let out = add(whole.text.slice(run.length))
        annotationsOf(written).forEach((annotation, annotation_index) => {
          const fields = { ...where, annotation_index, annotation }
          out += output.frame('response.output_text.annotation.added', fields)
        })
        const known = { key, json: run.json(whole.text) }
        const text = textWith(written, known)
        const logprobs = part.kind === 'text' ? own(written, 'logprobs') : undefined
        out +=
          logprobs === undefined || logprobs === null
            ? output.told(done, `${whereText},"${key}":${known.json}${more}`)
            : output.frame(done, { ...where, [key]: whole.text, logprobs }, known)
        out +=
          text === undefined
            ? output.frame('response.content_part.done', { ...where, part: written })
            : output.told('response.content_part.done', `${whereText},"part":${text}`)
        return out + leave(message, at, written, text)
      },
      cut: () => ({ ...part, text: run.text() }),
    }
    const added = output.told('response.content_part.added', `${whereText},"part":${empty}`)
    return { text: joined + added, writer: write }
  }

  /** Content without text of its own comes in one piece. */
  const openWhole = (part: Part): OpenedPart => {
    const silent = { report: () => {}, answer: context }
    const [start] = encodeParts([part], 'assistant', silent)
    if (!isObject(start)) {
      const [refused] = encodeParts([part], 'assistant', writer)
      if (refused !== undefined) reportDropped(part, writer)
      return droppedPart
    }
    const { text: joined, message, at } = join(part)
    const where = placeOf(message, at)
    const write: PartWriter = {
      delta: () => '',
      end(ended) {
        const [written] = encodeParts([ended], 'assistant', writer)
        const whole = isObject(written) ? written : start
        const done = output.frame('response.content_part.done', { ...where, part: whole })
        return done + leave(message, at, whole, jsonText(whole))
      },
      cut: () => part,
    }
    return {
      text: joined + output.frame('response.content_part.added', { ...where, part: start }),
      writer: write,
    }
  }

  return {
    open: part => (part.kind === 'text' || part.kind === 'refusal' ? openSaid(part) : openWhole(part)),
    seal,
  }
}

/** Parts of this wire know their message; those of others have no more than one to stand in. */
function keyOf(part: Part): unknown {
  return responsesResidue.owns(part.residue) || part.kind === 'opaque' ? part.path[1] : 'message'
}

/** Which part of which item an event is about. */
function placeOf({ place }: Message, at: number): JsonObject {
  return { item_id: place.id, output_index: place.at, content_index: at }
}

function annotationsOf(part: JsonObject): readonly unknown[] {
  const list = own(part, 'annotations')
  return Array.isArray(list) ? list : []
}
