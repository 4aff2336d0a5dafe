/** The conversation: what the user asked last, and the results that came after it. */
import type { JsonObject } from './json.ts'
import { isObject, own, ownObject, ownString } from './json.ts'
import { refusal } from './read-tools.ts'

export interface CallResult {
  readonly name: string
  /** The argument text of the call it answers. */
  readonly input: string
  readonly text: string
  readonly images: number
}

export interface Conversation {
  /** The text of the user's last message. */
  readonly question: string
  /** Images and files the user sent with it. */
  readonly media: number
  /** The results behind the last message of the user, if they are what the model must answer. */
  readonly results: readonly CallResult[]
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: string
}

export function readConversation(messages: readonly unknown[]): Conversation {
  const read = messages.map((message, i) => checkMessage(message, i))
  checkPairing(read)
  const spoken = read.filter(message => !['system', 'developer'].includes(roleOf(message)))
  const isHoisted = isMediaOfResults(spoken)
  const turns = isHoisted ? spoken.slice(0, -1) : spoken
  const asked = turns.findLast(message => roleOf(message) === 'user')
  const hoisted = isHoisted ? mediaIn(spoken.at(-1)) : 0
  return {
    question: asked === undefined ? '' : userText(asked),
    media: mediaIn(asked),
    results: trailingResults(turns, hoisted),
  }
}

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

function checkMessage(message: unknown, i: number): JsonObject {
  const at = `messages[${i}]`
  if (!isObject(message)) throw refusal(`Invalid type for '${at}': expected an object.`, at)
  const role = own(message, 'role')
  if (typeof role !== 'string' || !roles.has(role))
    throw refusal(
      `Invalid value for '${at}.role'. Supported values are: ${[...roles].join(', ')}.`,
      `${at}.role`,
    )
  if (role === 'tool' && ownString(message, 'tool_call_id') === undefined)
    throw refusal(`Missing required parameter: '${at}.tool_call_id'.`, `${at}.tool_call_id`)
  return message
}

function roleOf(message: JsonObject | undefined): string {
  return message === undefined ? '' : (ownString(message, 'role') ?? '')
}

/** Every call is answered by a `tool` message right behind it, and every `tool` message answers one. */
function checkPairing(messages: readonly JsonObject[]): void {
  let open = new Set<string>()
  const checkClosed = (i: number): void => {
    if (open.size === 0) return
    throw refusal(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].slice(0, 10).join(', ')}`,
      `messages[${i}]`,
    )
  }
  let answered = new Set<string>()
  messages.forEach((message, i) => {
    if (roleOf(message) !== 'tool') {
      checkClosed(i)
      answered = new Set()
      open = new Set(callsOf(message).map(({ id }) => id))
      return
    }
    const id = ownString(message, 'tool_call_id') ?? ''
    if (!open.delete(id) && !answered.has(id))
      throw refusal(
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        `messages[${i}].role`,
      )
    answered.add(id)
  })
  checkClosed(messages.length - 1)
}

function callsOf(message: JsonObject): Call[] {
  const calls = own(message, 'tool_calls')
  if (!Array.isArray(calls)) return []
  return calls.filter(isObject).map(call => {
    const custom = ownObject(call, 'custom')
    const holder = ownObject(call, 'function') ?? custom ?? {}
    return {
      id: ownString(call, 'id') ?? '',
      name: ownString(holder, 'name') ?? '',
      input: ownString(holder, custom === holder ? 'input' : 'arguments') ?? '',
    }
  })
}

function trailingResults(turns: readonly JsonObject[], hoisted: number): CallResult[] {
  const start = turns.findLastIndex(message => !['tool', 'function'].includes(roleOf(message))) + 1
  const caller = turns[start - 1]
  const calls = new Map((caller === undefined ? [] : callsOf(caller)).map(call => [call.id, call]))
  const legacy = caller === undefined ? undefined : ownObject(caller, 'function_call')
  return turns.slice(start).map((message, i) => {
    const call = calls.get(ownString(message, 'tool_call_id') ?? '')
    const name = call?.name ?? ownString(message, 'name') ?? 'the tool'
    const input = call?.input ?? (legacy === undefined ? '' : (ownString(legacy, 'arguments') ?? ''))
    return { name, input, text: textOf(message), images: mediaIn(message) + (i === 0 ? hoisted : 0) }
  })
}

/** How a bridge begins the message in which it shows images of results, for which Chat has no other place. */
const hoistedBeginning = 'From the result of call '

function isMediaOfResults(turns: readonly JsonObject[]): boolean {
  const last = turns.at(-1)
  const content = last === undefined ? undefined : own(last, 'content')
  if (roleOf(last) !== 'user' || roleOf(turns.at(-2)) !== 'tool' || !Array.isArray(content)) return false
  return content.every(part => {
    const text = isObject(part) ? ownString(part, 'text') : undefined
    return text === undefined || text.startsWith(hoistedBeginning)
  })
}

function partsOf(message: JsonObject): readonly JsonObject[] {
  const content = own(message, 'content')
  return Array.isArray(content) ? content.filter(isObject) : []
}

function textOf(message: JsonObject): string {
  const plain = ownString(message, 'content')
  return plain ?? textsOf(message).join('\n')
}

function textsOf(message: JsonObject): string[] {
  return partsOf(message).flatMap(part => ownString(part, 'text') ?? [])
}

/** Agents put notes of their own, in tags, beside what the user typed. */
function userText(message: JsonObject): string {
  const texts = textsOf(message)
  const typed = texts.filter(text => !/^\s*</.test(text))
  return typed.length > 0 ? typed.join('\n') : textOf(message)
}

function mediaIn(message: JsonObject | undefined): number {
  if (message === undefined) return 0
  return partsOf(message).filter(part => /image|file|audio/.test(ownString(part, 'type') ?? '')).length
}
