/** The requests that the clients of a soak or simulation send, in the format of each wire. */
import type { Plan } from './plan.ts'
import { isBackground, markOf } from './plan.ts'
import type { ReadAnswer } from './reader.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
/** Longer than other wires allow, so that the conversion must change and restore it. */
const longName = `weather_${'in_the_mountains_'.repeat(5)}`

export const keyOf = (owner: number): string => `key-${owner}`

/** The client's name of a planned tool. */
export function nameOf({ client, upstream }: Plan, tool: string): string {
  return tool === 'weather' && client === 'messages' && upstream !== 'messages' ? longName : tool
}

export const promptOf = (plan: Pick<Plan, 'owner' | 'n'>): string => `${markOf(plan)} How is the weather?`

/** `previous`: the answer that the request continues. */
export function bodyOf(plan: Plan, previous?: ReadAnswer): object {
  const { n, client, upstream, form, stores } = plan
  const isStreamed = form === 'streamed' || form === 'background stream'
  const head = { model: `${upstream}-${n}`, ...(isStreamed && { stream: true }) }
  const messages = [{ role: 'user', content: promptOf(plan) }]
  if (client === 'chat')
    return { ...head, messages, tools: [{ type: 'function', function: { name: 'weather', parameters } }] }
  if (client === 'messages')
    return {
      ...head,
      messages,
      max_tokens: 500,
      tools: [{ name: nameOf(plan, 'weather'), input_schema: parameters }],
    }
  return {
    ...head,
    ...(!stores && { store: false }),
    ...(isBackground(plan) && { background: true }),
    ...(previous === undefined ? { input: promptOf(plan) } : continuationOf(plan, previous)),
    tools: [
      { type: 'function', name: 'weather', parameters, strict: false },
      ...(upstream === 'responses' ? [] : [{ type: 'custom', name: 'patch' }]),
    ],
  }
}

function continuationOf(plan: Plan, { calls, responseId }: ReadAnswer): object {
  const results = calls.map(({ id, name }) => ({
    type: name === 'patch' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: id,
    output: `done ${id}`,
  }))
  return {
    previous_response_id: responseId,
    input: [...results, { role: 'user', content: promptOf(plan) }],
  }
}
