/** Reads the conversation: the user's last message, and the results that came after it. */
import type { JsonObject } from '@toolwire/core/json'
import { isObject, own } from '@toolwire/core/json'
import { ownObject, ownString } from './json.ts'
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
  /** How many images and files the user sent with it. */
  readonly media: number
  /** The results at the end of the conversation; empty when the model must answer the user. */
  readonly results: readonly CallResult[]
}

export function readConversation(messages: readonly unknown[]): Conversation {
  const checked = messages.map(checkMessage)
  checkPairing(checked)
  const dialogue = checked.filter(message => !['system', 'developer'].includes(roleOf(message)))
  const last = dialogue.at(-1)
  const hoisted = last !== undefined && isMediaOfResults(last) ? last : undefined
  const turns = hoisted === undefined ? dialogue : dialogue.slice(0, -1)
  const asked = turns.findLast(message => roleOf(message) === 'user')
  return {
    question: userText(asked),
    media: mediaIn(asked),
    results: resultsAtEnd(turns, mediaIn(hoisted)),
  }
}

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function'])

function checkMessage(message: unknown, i: number): JsonObject {
  const at = `messages[${i}]`
  if (!isObject(message)) throw refusal(`Invalid type for '${at}': expected an object.`, at)
  if (!roles.has(roleOf(message)))
    throw refusal(
      `Invalid value for '${at}.role'. Supported values are: ${[...roles].join(', ')}.`,
      `${at}.role`,
    )
  if (roleOf(message) === 'tool' && ownString(message, 'tool_call_id') === undefined)
    throw refusal(`Missing required parameter: '${at}.tool_call_id'.`, `${at}.tool_call_id`)
  return message
}

function roleOf(message: JsonObject): string {
  return ownString(message, 'role') ?? ''
}

/** Every call must be followed by a `tool` message that answers it, and every `tool` message must answer a call. */
function checkPairing(messages: readonly JsonObject[]): void {
  let open = new Set<string>()
  let answered = new Set<string>()
  const checkAnswered = (i: number): void => {
    if (open.size === 0) return
    throw refusal(
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
        `The following tool_call_ids did not have response messages: ${[...open].slice(0, 10).join(', ')}`,
      `messages[${i}]`,
    )
  }
  for (const [i, message] of messages.entries()) {
    if (roleOf(message) !== 'tool') {
      checkAnswered(i)
      answered = new Set()
      open = new Set(callsOf(message).map(call => ownString(call, 'id') ?? ''))
      continue
    }
    const id = ownString(message, 'tool_call_id') ?? ''
    if (!open.delete(id) && !answered.has(id))
      throw refusal(
        "Invalid parameter: messages with role 'tool' must be a response to a preceding message with 'tool_calls'.",
        `messages[${i}].role`,
      )
    answered.add(id)
  }
  checkAnswered(messages.length - 1)
}

function callsOf(message: JsonObject): readonly JsonObject[] {
  const calls = own(message, 'tool_calls')
  return Array.isArray(calls) ? calls.filter(isObject) : []
}

function resultsAtEnd(turns: readonly JsonObject[], hoistedImages: number): CallResult[] {
  const start = turns.findLastIndex(message => !['tool', 'function'].includes(roleOf(message))) + 1
  const caller = turns[start - 1] ?? {}
  const calls = new Map(callsOf(caller).map(call => [ownString(call, 'id'), call]))
  return turns.slice(start).map((message, i) => {
    const call = calls.get(ownString(message, 'tool_call_id')) ?? {}
    const body =
      ownObject(call, 'function') ?? ownObject(call, 'custom') ?? ownObject(caller, 'function_call') ?? {}
    return {
      name: ownString(body, 'name') ?? ownString(message, 'name') ?? 'the tool',
      input: ownString(body, 'arguments') ?? ownString(body, 'input') ?? '',
      text: textsOf(message).join('\n'),
      images: mediaIn(message) + (i === 0 ? hoistedImages : 0),
    }
  })
}

/** Chat has no images in results: the gateway sends them in a user message behind these, which begins so. */
function isMediaOfResults(message: JsonObject): boolean {
  return roleOf(message) === 'user' && (textsOf(message)[0] ?? '').startsWith('From the result of call ')
}

function partsOf(message: JsonObject): readonly JsonObject[] {
  const content = own(message, 'content')
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isObject) : []
}

function textsOf(message: JsonObject): string[] {
  return partsOf(message).flatMap(part => ownString(part, 'text') ?? [])
}

/** Agents add notes in tags, such as `<system-reminder>`, beside the text that the user typed. */
function userText(message: JsonObject = {}): string {
  const texts = textsOf(message)
  const typed = texts.filter(text => !/^\s*</.test(text))
  return (typed.length > 0 ? typed : texts).join('\n')
}

function mediaIn(message: JsonObject = {}): number {
  return partsOf(message).filter(part => /image|file|audio/.test(ownString(part, 'type') ?? '')).length
}
