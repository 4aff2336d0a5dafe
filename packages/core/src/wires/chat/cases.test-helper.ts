/** Samples of Chat bodies for the cases that all wires share. */
import fc from 'fast-check'
import { request } from '../../../../../test/support/arbitraries/chat.ts'
import { toolsOf } from '../../../../../test/support/arbitraries/tools.ts'
import type { JsonObject } from '../../json/object.ts'
import type { OddBody, WireSamples } from '../common.cases.test-helper.ts'

const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{' } }
const nullable = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null })
const record = (shape: Record<string, fc.Arbitrary<unknown>>, requiredKeys: string[]) =>
  fc.record(shape, { requiredKeys })

const count = fc.nat()
const logprob = fc.constant({ token: 'a', bytes: [97], logprob: -0.5, top_logprobs: [] })
const message = record(
  {
    role: fc.constant('assistant'),
    content: nullable(fc.string()),
    refusal: nullable(fc.string()),
    annotations: fc.array(
      fc.record({
        type: fc.constant('url_citation'),
        url_citation: fc.record({
          url: fc.string(),
          title: fc.string(),
          start_index: count,
          end_index: count,
        }),
      }),
      { maxLength: 2 },
    ),
    audio: nullable(fc.constant({ id: 'a', data: '', expires_at: 1, transcript: 't' })),
    function_call: nullable(fc.record({ name: fc.string(), arguments: fc.string() })),
    tool_calls: fc.array(
      fc.oneof(
        fc.constant(call),
        fc.record({
          id: fc.string(),
          type: fc.constant('custom'),
          custom: fc.constant({ name: 'n', input: 'i' }),
        }),
      ),
      { maxLength: 3 },
    ),
    reasoning_content: fc.string(),
  },
  ['role', 'content', 'refusal'],
)
const choice = record(
  {
    index: count,
    message,
    logprobs: nullable(
      fc.record({ content: nullable(fc.array(logprob)), refusal: nullable(fc.array(logprob)) }),
    ),
    finish_reason: fc.constantFrom(
      'stop',
      'length',
      'tool_calls',
      'content_filter',
      'function_call',
      'eos',
      null,
    ),
  },
  ['index', 'message', 'finish_reason'],
)
const usage = record(
  {
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: nullable(
      record({ cached_tokens: count, cache_write_tokens: count, audio_tokens: count }, []),
    ),
    completion_tokens_details: record({ reasoning_tokens: count, accepted_prediction_tokens: count }, []),
  },
  ['prompt_tokens', 'completion_tokens'],
)
const answers = record(
  {
    id: fc.string(),
    object: fc.constant('chat.completion'),
    created: count,
    model: fc.string(),
    choices: fc.array(choice, { maxLength: 3 }),
    usage: nullable(usage),
    service_tier: nullable(fc.constant('default')),
    system_fingerprint: fc.string(),
  },
  ['choices'],
)

const errors = fc.oneof(
  fc.record({
    error: record(
      {
        message: fc.string(),
        type: fc.string(),
        param: nullable(fc.string()),
        code: nullable(fc.oneof(fc.string(), count)),
      },
      ['message'],
    ),
  }),
  fc.record({ error: fc.string(), request_id: fc.string() }),
  fc.record({ object: fc.constant('error'), message: fc.string(), type: fc.string(), code: count }),
)

const calling = (toolCall: unknown): JsonObject => ({
  messages: [{ role: 'assistant', content: null, tool_calls: [toolCall] }],
})

const oddRequests: readonly OddBody[] = [
  ['nothing', {}],
  ['no messages', { model: 'm', messages: [] }],
  ['messages of null', { messages: null }],
  ['an empty list of parts', { messages: [{ role: 'user', content: [] }] }],
  ['no content', { messages: [{ role: 'user' }] }],
  ['bare texts in a list', { messages: [{ role: 'user', content: ['a', ''] }] }],
  ['empty options', { messages: [], stream_options: {} }],
  [
    'arguments as an object',
    calling({ id: 'c', type: 'function', function: { name: 'f', arguments: { a: 1 } } }),
  ],
  ['arguments missing', calling({ id: 'c', type: 'function', function: { name: 'f' } })],
  ['arguments of null', calling({ id: 'c', type: 'function', function: { name: 'f', arguments: null } })],
  ['a call without type', calling({ id: 'c', function: { name: 'f', arguments: '' } })],
  ['a call with an empty id', calling({ id: '', type: 'function', function: { name: 'f', arguments: '' } })],
  [
    'a call left over from a stream',
    calling({ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }),
  ],
  ['a call of unknown type', calling({ id: 'c', type: 'retrieval', retrieval: {} })],
  ['a call without a name', calling({ id: 'c', type: 'function', function: {} })],
  ['an output that is an object', { messages: [{ role: 'tool', tool_call_id: 'c', content: { a: [1] } }] }],
  ['an output that is a number', { messages: [{ role: 'tool', tool_call_id: 'c', content: 4 }] }],
  ['an output of texts', { messages: [{ role: 'tool', tool_call_id: 'c', content: ['a', 'b'] }] }],
  ['an output of null', { messages: [{ role: 'tool', tool_call_id: 'c', content: null }] }],
  ['a key called __proto__', JSON.parse('{"messages":[{"role":"user","content":"a","__proto__":{"b":1}}]}')],
  [
    'an image as a bare string',
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'u' }] }] },
  ],
]

const oddAnswers: readonly OddBody[] = [
  ['a message without refusal or role', { choices: [{ message: { content: 'a' } }] }],
  [
    'content in parts',
    {
      choices: [
        { message: { role: 'assistant', content: [{ type: 'text', text: 'a' }, { type: 'thinking' }] } },
      ],
    },
  ],
  [
    'a choice that failed',
    {
      choices: [{ message: { content: 'a' }, error: { message: 'm', code: 502 }, finish_reason: 'error' }],
    },
  ],
  ['no choices', { id: 'x', choices: [] }],
  ['a choice without a message', { choices: [{ text: 'old' }] }],
  ['nothing', {}],
]

export const chatSamples: WireSamples = {
  requests: request,
  answers,
  errors,
  tools: toolsOf('chat'),
  oddRequests,
  oddAnswers,
  wordKeys: ['type', 'role', 'object', 'finish_reason', 'tool_choice'],
  finishes: { refusal: 'filter', pause: 'stop', cancelled: 'length', unfinished: 'length' },
  joinsTexts: true,
  streamRequest: { stream_options: { include_usage: true } },
}
