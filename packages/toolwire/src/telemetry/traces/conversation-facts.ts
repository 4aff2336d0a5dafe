/**
 * What a request says about the conversation it belongs to: an id that the client sends with every request, the response
 * that it continues, and its history. Read from the recorded request when somebody looks at the list.
 */
import { createHash } from 'node:crypto'
import { isObject, type JsonObject } from '@toolwire/core/json'
import { readBeginning } from './json-beginning.ts'

export interface ConversationFacts {
  /** The id of the session or conversation, as the client calls it. */
  readonly session?: string
  /** The response that this one continues. */
  readonly previous?: string
  /** The conversation that it adds to, without repeating it. */
  readonly thread?: string
  /** One hash for each beginning of the history, the shortest first. */
  readonly trail: readonly string[]
  /** There is more of the history than was read. */
  readonly isCut: boolean
  /** How often the user has spoken in this history. */
  readonly turns: number
  /** The beginning of what the user said last. */
  readonly prompt?: string
}

/** Headers in which agents send the id of their session. */
const sessionHeaders = [
  'session_id',
  'session-id',
  'x-session-id',
  'x-claude-code-session-id',
  'conversation_id',
  'x-conversation-id',
  'x-session-affinity',
]
/** Of a request so many values are read, and of its history so much is compared. */
const mostNodes = 20_000
const longestTrail = 2000
const longestId = 200
const longestPrompt = 400

export function conversationFacts(
  headers: Readonly<Record<string, string>>,
  text: string,
  lane?: string,
): ConversationFacts {
  const { value, isWhole } = readBeginning(text, mostNodes)
  const fields = isObject(value) ? value : {}
  const session = sessionOf(headers, fields) ?? lane
  const previous = previousIn(fields)
  const thread = threadIn(fields)
  const { isCut, ...history } = trailOf(fields)
  return {
    ...(session !== undefined && { session }),
    ...(previous !== undefined && { previous }),
    ...(thread !== undefined && { thread }),
    ...history,
    isCut: isCut || !isWhole,
  }
}

function sessionOf(headers: Readonly<Record<string, string>>, body: JsonObject): string | undefined {
  const sent = sessionHeaders.map(name => headers[name]).find(value => value !== undefined && value !== '')
  if (sent !== undefined) return sent.slice(0, longestId)
  const { metadata } = body
  const user = isObject(metadata) ? idOf(metadata.user_id) : undefined
  const ofUser = user === undefined ? undefined : sessionInUserId(user)
  return threadIn(body) ?? ofUser ?? idOf(body.prompt_cache_key)
}

function threadIn({ conversation }: JsonObject): string | undefined {
  return idOf(isObject(conversation) ? conversation.id : conversation)
}

/** The answer that a request continues without repeating it: of Responses by its name, of Messages in a thread. */
export function previousIn({ previous_response_id: previous, thread }: JsonObject): string | undefined {
  return idOf(previous) ?? (isObject(thread) ? idOf(thread.previous_message_id) : undefined)
}

/** The id of an answer, from its beginning or from that of its stream: on every wire it is the first one in it. */
export function answerIdIn(beginning: string): string | undefined {
  return /"id"\s*:\s*"([^"\\]{1,200})"/.exec(beginning)?.[1]
}

/** Claude Code writes the id of its session behind that of the user, or both as JSON. */
function sessionInUserId(user: string): string | undefined {
  return /session(?:_id"\s*:\s*"|_)([\w-]{8,})/.exec(user)?.[1]
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, longestId) : undefined
}

function trailOf(body: JsonObject): Omit<ConversationFacts, 'session' | 'previous'> {
  const { messages, input } = body
  const history: readonly unknown[] = Array.isArray(messages)
    ? messages
    : Array.isArray(input)
      ? input
      : typeof input === 'string'
        ? [{ role: 'user', content: input }]
        : []
  const trail: string[] = []
  let turns = 0
  let before = ''
  let prompt: string | undefined
  for (const entry of history.slice(0, longestTrail)) {
    if (!isObject(entry) || isInstruction(entry)) continue
    const words = wordsOf(entry)
    before = createHash('sha1').update(before).update(words).digest('base64')
    trail.push(before)
    if (entry.role !== 'user' || !isSpoken(entry.content)) continue
    turns++
    prompt = textOf(entry.content) ?? prompt
  }
  const isCut = history.length > longestTrail
  return { trail, isCut, turns, ...(prompt !== undefined && { prompt: prompt.slice(0, longestPrompt) }) }
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer'
}

/** Results of tools come under the user's name too. */
function isSpoken(content: unknown): boolean {
  if (typeof content === 'string') return true
  return (
    Array.isArray(content) &&
    content.some(part => isObject(part) && !Array.isArray(part.content) && part.type !== 'tool_result')
  )
}

/** Agents put what they add before what the user wrote. */
function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content
  const texts = Array.isArray(content) ? content.flatMap(part => (isObject(part) ? [part.text] : [])) : []
  return texts.findLast(text => typeof text === 'string')
}

/** Marks for caching and ids of items wander from request to request, and are no words. */
function wordsOf(entry: JsonObject): string {
  const skip = (key: string, value: unknown): unknown =>
    key === 'cache_control' || key === 'id' ? undefined : value
  try {
    return JSON.stringify(entry, skip)
  } catch {
    // Nested deeper than the engine can follow.
    return ''
  }
}

/** Where an exchange belongs. */
export interface ConversationPlace {
  /** The same for all exchanges of a conversation. */
  readonly conversation: string
  /** From 1: how often the user had spoken. */
  readonly turn: number
  /** The exchange that this one goes on from: an agent may hold several conversations in one session. */
  readonly follows?: string
  /** The answer that it continues, where that is of no exchange here. */
  readonly continues?: string
}

interface KnownPlace extends ConversationPlace {
  readonly id: string
}

/** Finds the conversation of each exchange; they must be given in their order. */
export class ConversationIndex {
  readonly #byResponse = new Map<string, KnownPlace>()
  readonly #byTrail = new Map<string, KnownPlace>()
  readonly #most: number

  /** `most`: how many exchanges are remembered. */
  constructor(most: number) {
    this.#most = most
  }

  /** `scope`: whose exchange it is; those of others are never joined with it. */
  place(id: string, scope: string, facts: ConversationFacts): ConversationPlace {
    const { session, previous, thread, trail, turns } = facts
    const before = this.#before(scope, facts)
    const conversation = session ?? before?.conversation ?? id
    const isAdding = (previous ?? thread) !== undefined && before !== undefined
    const place = {
      conversation,
      turn: isAdding ? before.turn + Math.min(1, turns) : Math.max(1, turns),
      ...(before !== undefined && { follows: before.id }),
      ...(before === undefined && previous !== undefined && { continues: previous }),
    }
    if (thread !== undefined) this.answered(id, scope, lastOf(thread), place)
    const last = trail.at(-1)
    if (last !== undefined) keep(this.#byTrail, `${scope} ${last}`, { ...place, id }, this.#most)
    return place
  }

  /** `id`: of the exchange that the answer is of. */
  answered(id: string, scope: string, responseId: string, place: ConversationPlace): void {
    keep(this.#byResponse, `${scope} ${responseId}`, { ...place, id }, this.#most)
  }

  /** The place of what goes on from the exchange with this answer, in the same turn. */
  after(scope: string, responseId: string): ConversationPlace | undefined {
    const before = this.#byResponse.get(`${scope} ${responseId}`)
    return before && { conversation: before.conversation, turn: before.turn, follows: before.id }
  }

  #before(scope: string, { previous, thread, trail, isCut }: ConversationFacts): KnownPlace | undefined {
    const continued = previous ?? (thread && lastOf(thread))
    if (continued !== undefined) return this.#byResponse.get(`${scope} ${continued}`)
    // The same history twice is two conversations, unless an earlier one leads to both. A long one differs where it was not read.
    for (let i = trail.length - (isCut ? 1 : 2); i >= 0; i--) {
      const found = this.#byTrail.get(`${scope} ${trail[i]}`)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** The name of the last answer in a conversation. That of the conversation itself is the answer that made it. */
const lastOf = (thread: string): string => `the last of ${thread}`

function keep<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (oldest !== undefined && map.size > most) map.delete(oldest)
}
