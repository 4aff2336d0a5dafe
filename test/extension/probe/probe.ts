/**
 * Functions of the library that take and return plain JSON. The tests run them in Node, in an extension's page and in its
 * service worker, and compare the results.
 */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { connectModel, createExchange, defineTool, runConversation } from '@toolwire/core'
import { catalog } from '@toolwire/core/diagnostics'
import {
  chat,
  createExchange as createDefinedExchange,
  messages,
  type WireConversation,
} from '@toolwire/core/exchange'
import { parseJson } from '@toolwire/core/json'
import { lintToolParams } from '@toolwire/core/lint'
import { createToolsJsonForResponsesApi } from '@toolwire/core/openai'
import { hosts } from '@toolwire/core/presets'
import { runConversation as runDefinedConversation } from '@toolwire/core/run'
import { createValidator, strictify } from '@toolwire/core/schema'
import { defineStep, runStep } from '@toolwire/core/steps'
import { sampleFromSchema } from '@toolwire/core/testing'
import type { Encoding } from '@toolwire/core/tokens'
import { countRequest, estimateCounter, loadCounter, planTokens, tokenPolicies } from '@toolwire/core/tokens'
import { chat as chatTools, convertTools, messages as messagesTools } from '@toolwire/core/tools'
import { sseFrames } from '@toolwire/core/wires'

export interface WrittenBody {
  readonly wire: Wire
  readonly body: object
}

const wires: readonly Wire[] = ['chat', 'responses', 'messages']
/** The path of each wire below a server's base URL. */
export const paths = { chat: '/chat/completions', responses: '/responses', messages: '/messages' } as const
const question = 'Two seats, please.'
const requests = {
  chat: { model: 'any', messages: [{ role: 'user', content: question }] },
  responses: { model: 'any', input: question },
  messages: { model: 'any', max_tokens: 500, messages: [{ role: 'user', content: question }] },
} as const

/** The same ids and time everywhere, so that results can be compared. */
function fixedSource(): { newId(prefix: string): string; now(): number } {
  let last = 0
  return { newId: prefix => `${prefix}${++last}`, now: () => 1_700_000_000 }
}

const book = defineTool({
  name: 'book',
  parameters: {
    type: 'object',
    properties: { row: { type: 'string', pattern: '^[A-Z]-\\d{2}$' }, seats: { type: 'integer' } },
    required: ['row', 'seats'],
  },
  handler: ({ row, seats }) => ({ booked: `${seats} in ${row}` }),
})

const palette = defineStep({
  name: 'palette',
  outputSchema: {
    type: 'object',
    properties: { colors: { type: 'array', items: { type: 'string' } } },
    required: ['colors'],
  },
  prompt: (brand: string) => `Choose the colours of ${brand}.`,
  audits: [
    {
      name: 'hex codes',
      audit: ({ colors }) =>
        colors
          .filter(color => !/^#[0-9a-f]{6}$/.test(color))
          .map(color => ({ id: color, severity: 'high', description: `${color} is not a hex code.` })),
    },
  ],
})

const sendTo =
  (base: string, wire: Wire) =>
  (body: object, { signal }: { readonly signal: AbortSignal }): Promise<Response> =>
    fetch(base + paths[wire], {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    })

export const probe = {
  /** Complete requests to every wire, with the diagnostics. */
  convertRequests: (bodies: readonly WrittenBody[]) =>
    bodies.flatMap(({ wire, body }) =>
      wires.map(to => {
        const exchange = createExchange({ ...fixedSource(), from: wire, to })
        const { value, diagnostics } = exchange.request(body)
        return { value, diagnostics }
      }),
    ),

  /** A stream of one wire, in small pieces, to every wire. */
  convertStream: (from: Wire, text: string) =>
    wires.map(to => {
      const exchange = createExchange({ ...fixedSource(), from: to, to: from })
      exchange.request({ ...requests[to], stream: true, tools: [] })
      const stream = exchange.stream()
      const bytes = new TextEncoder().encode(text)
      const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
        stream.push(bytes.subarray(i * 7, i * 7 + 7)),
      )
      return [...pieces, stream.end()].join('')
    }),

  validate: (schema: unknown, values: readonly unknown[]) => {
    const { validate } = createValidator(schema)
    return values.map(value => validate(value))
  },

  strictify: (schema: unknown) => {
    const { schema: strict, diagnostics } = strictify(schema)
    return { strict, diagnostics }
  },

  lint: (bodies: readonly WrittenBody[]) => bodies.map(({ wire, body }) => lintToolParams(body, { wire })),

  explain: () => catalog,

  writeOpenAiTools: (tools: unknown) => createToolsJsonForResponsesApi(tools),

  sample: (schema: unknown) => Array.from({ length: 20 }, (_, seed) => sampleFromSchema(schema, { seed })),

  planTokens: (bodies: readonly WrittenBody[]) =>
    bodies.map(({ wire, body }) => planTokens(body, { wire, policy: tokenPolicies.optimalTokens })),

  countText: async (encoding: Encoding, text: string) => (await loadCounter(encoding)).count(text),

  countRequests: async (bodies: readonly WrittenBody[]) => {
    const counters = [estimateCounter, await loadCounter('o200k_base'), await loadCounter('cl100k_base')]
    return bodies.map(({ wire, body }) =>
      counters.map(counter => countRequest(body, { wire, counter }).total),
    )
  },

  /** Streamed, with one call that runs and one whose arguments its schema refuses. */
  converse: async (wire: Wire, base: string) => {
    const events: string[] = []
    const { text, reason, rounds, outcomes } = await runConversation({
      wire,
      request: requests[wire],
      send: sendTo(base, wire),
      tools: [book],
      stream: true,
      onEvent: ({ type }) => events.push(type),
    })
    return {
      text,
      reason,
      rounds,
      outcomes: outcomes.map(round => round.map(({ status, value, error }) => ({ status, value, error }))),
      events,
    }
  },

  /** The entry points that take definitions instead of names. */
  useDefinitions: async (base: string) => {
    const pair: readonly [WireConversation, WireConversation] = [messages, chat]
    const exchange = createDefinedExchange({ ...fixedSource(), from: pair[0], to: pair[1] })
    const { value } = exchange.request(requests.messages)
    const tool = parseJson('{"type":"function","function":{"name":"f"}}')
    const tools = convertTools([tool], { from: chatTools, to: messagesTools }).value
    const { reason } = await runDefinedConversation({
      wire: chat,
      request: requests.chat,
      send: sendTo(base, 'chat'),
      tools: [book],
    })
    return { value, tools, reason, hosts: Object.keys(hosts).length, frames: sseFrames.contentType }
  },

  step: async (wire: Wire, base: string) => {
    const model = connectModel({ wire, send: sendTo(base, wire), request: requests[wire] })
    const result = await runStep(palette, 'Acme', { model })
    return { output: result.ok && result.output, attempts: result.attempts.map(({ issues }) => issues) }
  },
}
