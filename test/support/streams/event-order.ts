/** Checks the order of events on each wire with state machines that know only the wire, not the encoders. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { SseFrame } from '../../../packages/core/src/sse/sse-parser.ts'
import { createSseParser } from '../../../packages/core/src/sse/sse-parser.ts'

type Data = Record<string, unknown>

/** Returns what is wrong with the order of a stream's events, or nothing. */
export function checkEventOrder(wire: Wire, text: string): string[] {
  const parser = createSseParser()
  const frames = [...parser.push(text), ...parser.end()]
  const wrong: string[] = []
  if (!text.endsWith('\n\n')) wrong.push('the last event is not closed by a blank line')
  checks[wire](frames, fault => wrong.push(fault))
  return wrong
}

type OrderCheck = (frames: readonly SseFrame[], fault: (text: string) => void) => void

const parse = ({ data }: SseFrame): Data => JSON.parse(data) as Data

const checkChat: OrderCheck = (frames, fault) => {
  const done = frames.findIndex(({ data }) => data === '[DONE]')
  const chunks = frames.filter(({ data }) => data !== '[DONE]').map(parse)
  const failed = chunks.some(({ error }) => error !== undefined)
  if (failed && done >= 0) fault('[DONE] after an error')
  if (!failed && done !== frames.length - 1) fault('no [DONE] at the end')
  const answers = chunks.filter(({ error }) => error === undefined)
  if (new Set(answers.map(({ id }) => id)).size > 1) fault('more than one id')
  const choices = answers.flatMap(
    ({ choices: list }) => list as { delta: Data; finish_reason: string | null }[],
  )
  if (choices.length > 0 && choices[0]?.delta.role !== 'assistant') fault('the first chunk has no role')
  const finished = choices.filter(({ finish_reason }) => finish_reason !== null)
  if (!failed && finished.length !== 1) fault(`${finished.length} finish reasons`)
  let known = 0
  for (const call of choices.flatMap(({ delta }) => (delta.tool_calls ?? []) as Data[])) {
    const index = call.index as number
    if (index > known) fault(`call ${index} before call ${known}`)
    if (index === known) {
      known++
      if (typeof call.id !== 'string' || typeof call.type !== 'string')
        fault(`call ${index} starts without id or type`)
    } else if (call.id !== undefined) fault(`index ${index} is used for a second call`)
  }
}

const checkMessages: OrderCheck = (frames, fault) => {
  let open: number | undefined
  let next = 0
  let state: 'new' | 'started' | 'ended' | 'over' = 'new'
  for (const { event, data } of frames) {
    const { type, index } = JSON.parse(data) as { type: string; index?: number }
    if (event !== type) fault(`event ${event} carries ${type}`)
    if (state === 'over') fault(`${type} after the end`)
    if (type === 'message_start' && state !== 'new') fault('a second start')
    if (type !== 'message_start' && type !== 'error' && state === 'new') fault(`${type} before the start`)
    if (type === 'message_start') state = 'started'
    if (type === 'content_block_start') {
      if (open !== undefined) fault(`block ${index} starts inside block ${open}`)
      if (index !== next++) fault(`block ${index} out of order`)
      open = index
    }
    if (type === 'content_block_delta' && index !== open)
      fault(`a delta for block ${index}, which is not open`)
    if (type === 'content_block_stop') {
      if (index !== open) fault(`block ${index} stops without being open`)
      open = undefined
    }
    if (type === 'message_delta') {
      if (open !== undefined) fault('the message ends inside a block')
      state = 'ended'
    }
    if (type === 'message_stop' || type === 'error') {
      if (type === 'message_stop' && state !== 'ended') fault('a stop without its reason')
      state = 'over'
    }
  }
  if (state !== 'over') fault('no end')
}

const checkResponses: OrderCheck = (frames, fault) => {
  if (frames.at(-1)?.data !== '[DONE]') fault('no [DONE] at the end')
  const events = frames
    .filter(({ data }) => data !== '[DONE]')
    .map(frame => ({ event: frame.event, body: parse(frame) }))
  const items = new Map<number, { id: unknown; done: boolean }>()
  const parts = new Set<string>()
  const ends = new Set<string>()
  let terminal = 0
  events.forEach(({ event, body }, i) => {
    const type = String(body.type)
    if (event !== type) fault(`event ${event} carries ${type}`)
    if (body.sequence_number !== i) fault(`${type} is number ${body.sequence_number}, not ${i}`)
    if (i === 0 && type !== 'response.created') fault(`begins with ${type}`)
    if (terminal > 0) fault(`${type} after the end`)
    const at = body.output_index as number | undefined
    if (type === 'response.output_item.added') {
      if (at !== items.size) fault(`item ${at} out of order`)
      items.set(items.size, { id: (body.item as Data).id, done: false })
    } else if (at !== undefined) {
      const item = items.get(at)
      if (item === undefined || item.done) fault(`${type} for item ${at}, which is not open`)
      const isItemDone = type === 'response.output_item.done'
      if (!isItemDone && body.item_id !== item?.id) fault(`${type} names another item, or none`)
      if (type === 'response.output_item.done' && item !== undefined) {
        item.done = true
        if ((body.item as Data).id !== item.id) fault(`item ${at} changed its id`)
      }
    }
    const part = `${at}.${body.content_index}`
    if (type === 'response.content_part.added') parts.add(part)
    if (type.endsWith('.done')) {
      const end = `${type} ${part}.${body.summary_index}`
      if (ends.has(end)) fault(`a second ${end}`)
      ends.add(end)
      if (type === 'response.content_part.done') parts.delete(part)
      if (type === 'response.output_item.done' && [...parts].some(open => open.startsWith(`${at}.`)))
        fault(`item ${at} ends inside a part`)
    }
    if (/output_text\.delta|refusal\.delta/.test(type) && !parts.has(part)) fault(`${type} before its part`)
    if (['response.completed', 'response.incomplete', 'response.failed'].includes(type)) {
      terminal++
      const open = [...items.values()].filter(({ done }) => !done)
      if (open.length > 0) fault(`${open.length} items are open at the end`)
      const output = (body.response as Data).output as Data[]
      if (output.length !== items.size)
        fault(`the final answer has ${output.length} items, not ${items.size}`)
    }
  })
  if (terminal !== 1) fault(`${terminal} endings`)
}

const checks: { readonly [W in Wire]: OrderCheck } = {
  chat: checkChat,
  messages: checkMessages,
  responses: checkResponses,
}
