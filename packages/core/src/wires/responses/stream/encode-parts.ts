/** Writes the parts that are items of their own: calls, reasoning, and whatever this wire gave itself. */

import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { CallPart, Part, ReasoningPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { PartDeltaEvent } from '../../../model/stream-event.ts'
import type { AnswerContext } from '../../define-wire.ts'
import { encodeCall, encodeResult } from '../calls.ts'
import { reportDropped } from '../parts.ts'
import { encodeReasoning } from '../reasoning.ts'
import type { EncodeContext } from '../residue.ts'
import { responsesResidue } from '../residue.ts'
import { createProgressWriter, cutPart, unsaidItem } from './encode-hosted.ts'
import { createSectionWriter } from './encode-sections.ts'
import type { StreamOutput } from './output.ts'
import { deltaFrame, placeText } from './output.ts'
import { createWrittenText } from './written-text.ts'

export interface PartWriter {
  delta(event: PartDeltaEvent): string
  end(part: Part): string
  /** The part as far as it got, when the stream broke off in it. */
  cut(): Part
}

export interface OpenedPart {
  readonly text: string
  /** Absent for a part that this wire cannot say. */
  readonly writer?: PartWriter
}

export const droppedPart: OpenedPart = { text: '' }

const forms = {
  function: {
    key: 'arguments',
    prefix: 'fc_',
    delta: 'response.function_call_arguments.delta',
    done: 'response.function_call_arguments.done',
  },
  custom: {
    key: 'input',
    prefix: 'ctc_',
    delta: 'response.custom_tool_call_input.delta',
    done: 'response.custom_tool_call_input.done',
  },
} as const

type WrittenCall = ReturnType<typeof encodeCall>
type NamedCall = WrittenCall & { readonly id: string }

const silent: Report = () => {}

export function openItem(
  part: Part,
  output: StreamOutput,
  context: AnswerContext,
  report: Report,
): OpenedPart {
  const answer = withStableIds(context)
  switch (part.kind) {
    case 'call':
      return openCall(part, output, answer, report)
    case 'reasoning':
      return openReasoning(part, output, answer, report)
    default:
      return openVerbatim(part, output, answer, report)
  }
}

/** An item is written when it begins and when it ends, and is to have the same ids both times. */
function withStableIds(context: AnswerContext): AnswerContext {
  const ids = new Map<string, string>()
  return {
    newId(prefix) {
      const id = ids.get(prefix) ?? context.newId(prefix)
      ids.set(prefix, id)
      return id
    },
    now: () => context.now(),
  }
}

function openCall(part: CallPart, output: StreamOutput, answer: AnswerContext, report: Report): OpenedPart {
  const { key, prefix, delta, done } = forms[part.form]
  const head = encodeCall(part, { report: silent, answer }, 'in_progress')
  const given = own(head, 'call_id')
  const id = output.claimId(own(head, 'id'), prefix)
  const callId = typeof given === 'string' && given !== '' ? given : answer.newId('call_')
  /** What has been written of the call, with the names that it has from its beginning to its end. */
  const named = (written: WrittenCall, status: string, input: string): NamedCall => {
    written.id = id
    written.call_id = callId
    written.status = status
    written[key] = input
    return written as NamedCall
  }
  const { text, place } = output.open(named(head, 'in_progress', ''))
  const where = placeText(place)
  const frame = deltaFrame(delta, where)
  const run = createWrittenText()
  const add = (more: string, letters?: string | undefined): string =>
    more === '' ? '' : output.delta(frame, run.add(more, letters))
  return {
    text,
    writer: {
      delta: ({ text: more, escapedText: letters }) => add(more, letters),
      end(ended) {
        const call = ended.kind === 'call' ? ended : part
        const same = call.form === part.form ? call : { ...call, form: part.form }
        const written = encodeCall(same, { report, answer })
        const status = own(written, 'status')
        const item = named(written, typeof status === 'string' ? status : 'completed', call.input)
        const rest = add(call.input.slice(run.length))
        const known = { key, json: run.json(call.input) }
        const whole = output.told(done, `${where},"${key}":${known.json}`)
        // Without a word about it, whether it is whole shows when the answer goes on, or says why it stopped.
        const closed =
          call.status === undefined
            ? output.closeIfWhole(place, item, known)
            : output.close(place, item, known)
        return rest + whole + closed
      },
      cut: () => ({ ...part, input: run.text(), status: 'incomplete' }),
    },
  }
}

function openReasoning(
  part: ReasoningPart,
  output: StreamOutput,
  answer: AnswerContext,
  report: Report,
): OpenedPart {
  const head = encodeReasoning({ ...part, summary: [], text: [] }, { report: silent, answer })
  const id = output.claimId(own(head, 'id'), 'rs_')
  const isForeign = !responsesResidue.owns(part.residue)
  const begun = { ...head, id, summary: [] }
  // Of this wire's own reasoning, OpenAI's says no status and Open Responses' does.
  const hasStatus = isForeign || own(head, 'status') !== undefined
  const { text, place } = output.open(isForeign ? { ...begun, status: 'in_progress' } : begun)
  const sections = createSectionWriter(place, output, isForeign)
  return {
    text,
    writer: {
      delta: event => sections.add(event.summary === true, event.section ?? 0, event.text, event.escapedText),
      end(ended) {
        const whole = ended.kind === 'reasoning' ? ended : part
        const rest = sections.end(whole)
        const written = encodeReasoning({ ...whole, ...sections.written() }, { report, answer })
        const item = { summary: [], ...written, id }
        const status = own(written, 'status')
        const isSaid = !isForeign && (status === 'completed' || status === 'incomplete')
        if (!hasStatus || isSaid) return rest + output.close(place, item)
        // Whether it was cut off in its thoughts shows when the answer goes on, or says why it stopped.
        return rest + output.closeIfWhole(place, { ...item, status: 'completed' })
      },
      cut: () => ({ ...withoutLists(part), ...sections.given() }),
    },
  }
}

/** That its lists were empty when it began must not be said of the end. */
function withoutLists(part: ReasoningPart): ReasoningPart {
  const { residue } = part
  if (residue?.defaults === undefined) return part
  const quiet = residue.defaults.filter(([[key]]) => key !== 'summary' && key !== 'content')
  return { ...part, residue: { ...residue, defaults: quiet } }
}

/** What this wire defines and no other does goes out as it came; the results of tools, as they are written. */
function openVerbatim(part: Part, output: StreamOutput, answer: AnswerContext, report: Report): OpenedPart {
  const writer: EncodeContext = { report, answer }
  const start = itemOf(part, { report: silent, answer })
  if (start === undefined) {
    reportDropped(part, writer)
    return droppedPart
  }
  const id = output.claimId(own(start, 'id'), 'item_')
  const type = own(start, 'type')
  const { text, place } = output.open({ ...unsaidItem(start), id })
  const progress = createProgressWriter(type, place, output)
  return {
    text: text + progress.begin(start),
    writer: {
      delta: () => '',
      end(ended) {
        const item = { ...(itemOf(ended, writer) ?? start), id, type }
        return progress.end(item) + output.close(place, item)
      },
      cut: () => cutPart(part),
    },
  }
}

function itemOf(part: Part, writer: EncodeContext): JsonObject | undefined {
  if (part.kind === 'result') return encodeResult(part, writer)
  if (part.kind !== 'hosted' && part.kind !== 'opaque') return undefined
  const { wire, value } = part
  // Clients know items by their type; without one this is nothing they could read.
  return wire === 'responses' && isObject(value) && typeof own(value, 'type') === 'string' ? value : undefined
}
