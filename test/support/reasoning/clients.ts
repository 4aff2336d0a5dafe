/** Clients that hold a loop with tools, each with the habits of a library or program that people use. */
import Anthropic from '@anthropic-ai/sdk'
import type { BuiltInWire as Wire } from '@toolwire/core'
import OpenAI from 'openai'
import type { Replay } from './replay.ts'
import { replays } from './replay.ts'
import type { Json } from './voices.ts'

export interface LoopClient {
  readonly name: string
  readonly wire: Wire
  readonly streams: boolean
  readonly first?: Json
  /** Sends one request and returns the answer as the client sees it. */
  ask(request: Json, server: Server): Promise<Json>
  /** What of an answer the client sends back. */
  readonly remembers?: (answer: Json) => Json
}

export interface Server {
  readonly baseURL: string
  readonly key?: string
}

const options = ({ baseURL, key = 'a key' }: Server) => ({ baseURL, apiKey: key, maxRetries: 0 })
const openai = (server: Server): OpenAI => new OpenAI(options(server))
const anthropic = (server: Server): Anthropic =>
  new Anthropic({ ...options(server), baseURL: server.baseURL.replace(/\/v1$/, '') })

/** The libraries take requests of their own types; what is tested here is what they send and understand. */
// biome-ignore lint/suspicious/noExplicitAny: see above
const loosely = (value: unknown): any => value

const libraries: readonly LoopClient[] = [
  {
    name: 'openai, Chat',
    wire: 'chat',
    streams: false,
    ask: async (request, server) => loosely(await openai(server).chat.completions.create(loosely(request))),
  },
  {
    name: 'openai, Chat, streamed',
    wire: 'chat',
    streams: true,
    ask: async (request, server) =>
      loosely(await openai(server).chat.completions.stream(loosely(request)).finalChatCompletion()),
  },
  {
    name: 'openai, Responses',
    wire: 'responses',
    streams: false,
    ask: async (request, server) => loosely(await openai(server).responses.create(loosely(request))),
  },
  {
    name: 'openai, Responses, streamed',
    wire: 'responses',
    streams: true,
    ask: async (request, server) =>
      loosely(await openai(server).responses.stream(loosely(request)).finalResponse()),
  },
  {
    name: '@anthropic-ai/sdk',
    wire: 'messages',
    streams: false,
    ask: async (request, server) => loosely(await anthropic(server).messages.create(loosely(request))),
  },
  {
    name: '@anthropic-ai/sdk, streamed',
    wire: 'messages',
    streams: true,
    ask: async (request, server) =>
      loosely(await anthropic(server).messages.stream(loosely(request)).finalMessage()),
  },
]

/** Believes the items that are done, stores nothing, and sends reasoning again without its id. */
const codex: LoopClient = {
  name: 'a client like Codex',
  wire: 'responses',
  streams: true,
  first: { store: false, include: ['reasoning.encrypted_content'], reasoning: { summary: 'auto' } },
  async ask(request, { baseURL, key = 'a key' }) {
    const answer = await fetch(`${baseURL}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
      body: JSON.stringify({ ...request, stream: true }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => JSON.parse(data) as Json)
    const done = events.filter(({ type }) => type === 'response.output_item.done')
    return { output: done.map(({ item }) => withoutId(item as Json)) }
  },
}

function withoutId({ id: _, status: __, ...item }: Json): Json {
  return item
}

/** Most clients of Chat send back what the wire's own documents name, and nothing else; many others do the same. */
const forgetful: readonly LoopClient[] = libraries.map(client => ({
  ...client,
  name: `${client.name}, without reasoning`,
  remembers: answer => {
    if (client.wire === 'messages') {
      const content = answer.content as readonly Json[]
      return { ...answer, content: content.filter(({ type }) => !String(type).includes('thinking')) }
    }
    if (client.wire === 'responses') {
      const output = answer.output as readonly Json[]
      return { ...answer, output: output.filter(({ type }) => type !== 'reasoning').map(withoutId) }
    }
    const [choice] = answer.choices as readonly { message: Json }[]
    const { role, content, tool_calls } = choice?.message ?? {}
    return { choices: [{ message: { role, content, tool_calls } }] }
  },
}))

export const loopClients: readonly LoopClient[] = [...libraries, codex, ...forgetful]

/** One conversation. */
export class Loop {
  readonly answers: Json[] = []
  request: Json | undefined
  readonly #client: LoopClient
  readonly #replay: Replay

  constructor(client: LoopClient, more: Json = {}) {
    this.#client = client
    this.#replay = replays[client.wire]
    this.request = { ...this.#replay.first('m'), ...client.first, ...more }
  }

  /** Rounds until the model makes no more calls, or until this many are done. */
  async run(server: Server, most = 10, model = 'm'): Promise<void> {
    for (let round = 0; round < most && this.request !== undefined; round++) {
      const answer = await this.#client.ask({ ...this.request, model }, server)
      this.answers.push(answer)
      this.request = this.#replay.next(this.request, this.#client.remembers?.(answer) ?? answer)
    }
  }
}
