/** A call that comes in pieces. It begins once its name and id are known; what was written before then waits. */

import type { JsonObject } from '../../../json/object.ts'
import { assignOwn, own, setOwn } from '../../../json/object.ts'
import type { CallPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { decodeCall } from '../calls.ts'
import { decodeTurn } from '../request/turns.ts'
import type { StreamItem } from './open-items.ts'
import type { PartSink, TextRun } from './part-tracker.ts'
import { createTextRun, missingOf, unsaid } from './part-tracker.ts'

const inputKeys = { function: 'arguments', custom: 'input' } as const
const inputDone = {
  function: 'response.function_call_arguments.done',
  custom: 'response.custom_tool_call_input.done',
} as const
type Form = CallPart['form']

export function createCallItem(given: Form, path: Path, sink: PartSink, report: Report): StreamItem {
  const run = createTextRun()
  let form = given
  const head: Record<string, unknown> = {}
  let index: number | undefined
  /** The input as a whole, once the wire has given it. */
  let told: string | undefined

  const begin = (part: CallPart): number => {
    index = sink.start(unsaid(part))
    sink.delta(index, run.text())
    return index
  }

  const beginIfKnown = (): void => {
    if (index !== undefined || !isFilled(own(head, 'name')) || !isFilled(own(head, 'call_id'))) return
    const item = assignOwn({}, head)
    item[inputKeys[form]] = ''
    const part = decodeCall(item, path, form)
    if (part !== undefined) begin(part)
  }

  const write = (text: string): void => {
    if (text === '') return
    run.push(text)
    if (index !== undefined) sink.delta(index, text)
  }

  const hear = (text: string): void => {
    if (told === undefined && !isRepeat(text, run, form)) write(text)
  }

  /** The whole that counts: what the wire called whole, unless that is nothing where pieces have come. */
  const inputOf = (item: JsonObject): unknown => {
    const value = own(item, inputKeys[form])
    const isSaid = value !== undefined && value !== null && value !== ''
    return isSaid ? value : (told ?? (run.length > 0 ? run.text() : value))
  }

  return {
    add(item) {
      // An item that comes again says no less than before: empty fields do not blot out filled ones.
      takeFilled(head, item)
      if (index === undefined) form = formOf(head) ?? form
      beginIfKnown()
    },
    more: (_, __, text) => hear(text),
    take(type, data) {
      if (type.endsWith('.delta')) {
        const text = own(data, 'delta')
        if (typeof text === 'string') hear(text)
        return
      }
      takeFilled(head, { name: own(data, 'name') })
      beginIfKnown()
      const whole = own(data, 'arguments') ?? own(data, 'input')
      if (typeof whole !== 'string' || (whole === '' && run.length > 0)) return
      write(missingOf(run, whole))
      told = whole
    },
    finish(item, isCut) {
      const whole = item ?? { ...head, status: isCut ? 'incomplete' : 'completed' }
      // What the call began as, it remains; what the item leaves empty may have been said before.
      const body: Record<string, unknown> = { ...whole }
      for (const key of ['name', 'call_id']) {
        const known = own(head, key)
        const counts = index !== undefined || !isFilled(own(whole, key))
        if (counts && known !== undefined) body[key] = known
      }
      body[inputKeys[form]] = inputOf(whole)
      const part = decodeCall(body, path, form)
      if (part === undefined) {
        giveUp(item, path, run, sink, report)
        return
      }
      const at = index ?? begin(part)
      sink.delta(at, missingOf(run, part.input))
      sink.end(at, part)
    },
    cut({ head: announced, where }) {
      const key = inputKeys[form]
      const begun = own(head, key)
      const input = { [key]: told ?? (run.length === 0 && isFilled(begun) ? begun : run.text()) }
      return {
        item: { ...announced, ...head, ...input, status: 'incomplete' },
        closing: told === undefined ? [{ type: inputDone[form], ...where, ...input }] : [],
      }
    },
  }
}

/** A call that never got a name: as much as its item is, and a word about pieces that belong to none. */
function giveUp(
  item: JsonObject | undefined,
  path: Path,
  run: TextRun,
  sink: PartSink,
  report: Report,
): void {
  if (item !== undefined) for (const part of decodeTurn(item, path, report).parts) sink.whole(part)
  else if (run.length > 0) {
    report('part_dropped', path, 'The stream never said which tool this call is for; it was left out.')
  }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

/** Takes the fields that say something. An empty text or `null` stands for something to come, or for nothing. */
function takeFilled(head: Record<string, unknown>, item: JsonObject): void {
  for (const key of Object.keys(item)) {
    const value = item[key]
    if (value !== '' && value !== null && value !== undefined) setOwn(head, key, value)
  }
}

function formOf(item: JsonObject): Form | undefined {
  const type = own(item, 'type')
  if (type === 'function_call') return 'function'
  return type === 'custom_tool_call' ? 'custom' : undefined
}

/** Arguments that are complete and come once more in full. Free text may well say the same thing twice. */
function isRepeat(text: string, run: TextRun, form: Form): boolean {
  if (form !== 'function' || text.length !== run.length || text.length < 2) return false
  return run.text() === text && isObjectText(text)
}

function isObjectText(text: string): boolean {
  if (!text.trimStart().startsWith('{')) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
