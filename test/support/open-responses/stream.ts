/**
 * Checks a stream against the Open Responses contract, without the library's code: the bytes of each event, the fields of
 * each type, and the order in which an item grows.
 */
import { z } from 'zod'
import type { OpenItem } from './items.ts'
import { openItem } from './items.ts'
import { anyItem, checkResponse, contentPart, errorBody, issuesOf, summaryPart } from './schema.ts'

type Data = Record<string, unknown>
type Fault = (text: string) => void

interface StreamFrame {
  readonly event: string | undefined
  readonly data: string
}

/** Returns what is wrong with a stream, given by its writes, or nothing. */
export function checkStream(writes: readonly string[]): string[] {
  const wrong: string[] = []
  const fault: Fault = text => void wrong.push(text)
  for (const write of writes) {
    if (!write.endsWith('\n\n')) fault(`a write ends inside an event: ${write.slice(-60)}`)
  }
  const frames = framesOf(writes.join(''), fault)
  const events = checkFrames(frames, fault)
  if (wrong.length === 0) checkOrder(events, fault)
  return wrong
}

/** The frames of a text, without comments. */
function framesOf(text: string, fault: Fault = () => {}): StreamFrame[] {
  if (text.includes('\r')) fault('a line end that is not LF')
  return text
    .split('\n\n')
    .filter(block => block !== '' && !block.startsWith(':'))
    .map(block => {
      const lines = block.split('\n')
      const fieldsOf = (name: string): string[] =>
        lines.filter(line => line.startsWith(`${name}: `)).map(line => line.slice(name.length + 2))
      const [data = '', ...more] = fieldsOf('data')
      if (more.length > 0) fault('data over several lines')
      if (lines.some(line => !/^(event|data): /.test(line))) fault(`a line of another kind: ${block}`)
      return { event: fieldsOf('event')[0], data }
    })
}

export function eventsOf(text: string): Data[] {
  return framesOf(text)
    .filter(({ data }) => data !== '[DONE]')
    .map(({ data }) => JSON.parse(data) as Data)
}

const at = { item_id: z.string().min(1), output_index: z.int().nonnegative() }
const inContent = { ...at, content_index: z.int().nonnegative() }
const inSummary = { ...at, summary_index: z.int().nonnegative() }
const delta = z.string()
const logprobs = z.array(z.unknown())
const response = z.looseObject({})

/** The fields of each event besides its type and number. */
const shapes: Readonly<Record<string, z.ZodRawShape>> = {
  'response.created': { response },
  'response.in_progress': { response },
  'response.completed': { response },
  'response.incomplete': { response },
  'response.failed': { response },
  error: { error: errorBody.shape.error },
  'response.output_item.added': { output_index: at.output_index, item: anyItem },
  'response.output_item.done': { output_index: at.output_index, item: anyItem },
  'response.content_part.added': { ...inContent, part: contentPart },
  'response.content_part.done': { ...inContent, part: contentPart },
  'response.output_text.delta': { ...inContent, delta, logprobs },
  'response.output_text.done': { ...inContent, text: delta, logprobs },
  'response.output_text.annotation.added': {
    ...inContent,
    annotation_index: z.int().nonnegative(),
    annotation: z.looseObject({}).nullable(),
  },
  'response.refusal.delta': { ...inContent, delta },
  'response.refusal.done': { ...inContent, refusal: delta },
  'response.reasoning_summary_part.added': { ...inSummary, part: summaryPart },
  'response.reasoning_summary_part.done': { ...inSummary, part: summaryPart },
  'response.reasoning_summary_text.delta': { ...inSummary, delta },
  'response.reasoning_summary_text.done': { ...inSummary, text: delta },
  'response.function_call_arguments.delta': { ...at, delta },
  'response.function_call_arguments.done': { ...at, arguments: delta },
  // Not in the contract: OpenAI's events for tools that the provider runs.
  'response.mcp_call_arguments.delta': { ...at, delta },
  'response.mcp_call_arguments.done': { ...at, arguments: delta },
  ...Object.fromEntries(
    ['mcp_call', 'web_search_call'].flatMap(type =>
      ['in_progress', 'searching', 'completed', 'failed'].map(word => [`response.${type}.${word}`, at]),
    ),
  ),
}

/** Checks type, number and fields of each event, and the literal [DONE]; returns the events. */
function checkFrames(frames: readonly StreamFrame[], fault: Fault): Data[] {
  if (frames.at(-1)?.data !== '[DONE]' || frames.at(-1)?.event !== undefined) fault('no [DONE] at the end')
  if (frames.slice(0, -1).some(({ data }) => data === '[DONE]')) fault('[DONE] before the end')
  const events = frames.filter(({ data }) => data !== '[DONE]').map(({ data }) => JSON.parse(data) as Data)
  for (const [i, event] of events.entries()) {
    const type = String(event.type)
    if (frames[i]?.event !== type) fault(`event ${frames[i]?.event} carries ${type}`)
    if (event.sequence_number !== i) fault(`${type} is number ${event.sequence_number}, not ${i}`)
    const shape = shapes[type]
    if (shape === undefined) {
      fault(`${type} is not an event of the contract`)
      continue
    }
    const { error } = z.looseObject(shape).safeParse(event)
    if (error !== undefined) for (const issue of issuesOf(error)) fault(`${type} ${issue}`)
    const wrong = event.response === undefined ? [] : checkResponse(event.response)
    for (const one of wrong) fault(`${type} ${one}`)
  }
  return events
}

const terminal: Readonly<Record<string, string>> = {
  'response.completed': 'completed',
  'response.incomplete': 'incomplete',
  'response.failed': 'failed',
}

function checkOrder(events: readonly Data[], fault: Fault): void {
  const [created, inProgress, ...rest] = events
  if (created?.type !== 'response.created') fault('does not begin with response.created')
  if (inProgress?.type !== 'response.in_progress') fault('response.in_progress does not follow')
  for (const event of [created, inProgress]) checkStart(event?.response as Data | undefined, fault)
  const items: OpenItem[] = []
  for (const [i, event] of rest.entries()) {
    const type = String(event.type)
    if (terminal[type] !== undefined) {
      if (i !== rest.length - 1) fault(`${type} is not the last event`)
      checkEnd(type, event.response as Data, created?.response as Data, items, fault)
      continue
    }
    if (i === rest.length - 1) fault(`ends with ${type}`)
    if (type === 'error') {
      if (rest[i + 1]?.type !== 'response.failed') fault('error is not followed by response.failed')
      continue
    }
    const index = event.output_index as number
    if (type === 'response.output_item.added') {
      if (index !== items.length) fault(`item ${index} begins where item ${items.length} should`)
      items.push(openItem(event.item as Data, fault))
    } else if (items[index] === undefined) fault(`${type} for item ${index}, which has not begun`)
    else items[index].take(type, event)
  }
  if (rest.at(-1)?.type === 'response.failed' && rest.at(-2)?.type !== 'error')
    fault('failed without an error event')
}

function checkStart(begun: Data | undefined, fault: Fault): void {
  if (begun?.status !== 'in_progress') fault(`begins as ${begun?.status}`)
  if (!Array.isArray(begun?.output) || begun.output.length > 0) fault('begins with output')
  if (begun?.usage !== null) fault('begins with usage')
}

function checkEnd(type: string, ended: Data, begun: Data, items: readonly OpenItem[], fault: Fault): void {
  if (ended.status !== terminal[type]) fault(`${type} says ${ended.status}`)
  for (const key of ['id', 'created_at', 'model'] as const) {
    if (ended[key] !== begun[key]) fault(`${key} changed from ${begun[key]} to ${ended[key]}`)
  }
  for (const { item, isDone } of items) if (!isDone()) fault(`item ${item().id} is left open`)
  const done = JSON.stringify(items.map(({ item }) => item()))
  if (JSON.stringify(ended.output) !== done) fault(`the output differs from its items: ${done}`)
}
