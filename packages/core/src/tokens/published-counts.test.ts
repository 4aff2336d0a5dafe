/**
 * Counts that the API itself reported and that others have published: the examples of OpenAI's cookbook
 * ("How to count tokens with tiktoken"), the test cases of hmarr/openai-chat-tokens, and a thread of OpenAI's
 * forum on calls side by side. The requests and the figures are facts; how we reach them is our own.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { countRequest } from './count-request.ts'
import type { TokenCounter } from './counter.ts'
import { loadCounter } from './counters.ts'

let cl100k: TokenCounter
let o200k: TokenCounter
beforeAll(async () => {
  cl100k = await loadCounter('cl100k_base')
  o200k = await loadCounter('o200k_base')
})

const chat = (body: object, counter: TokenCounter): number =>
  countRequest(body, { wire: 'chat', counter }).total

const jargon = [
  {
    role: 'system',
    content:
      'You are a helpful, pattern-following assistant that translates corporate jargon into plain English.',
  },
  { role: 'system', name: 'example_user', content: 'New synergies will help drive top-line growth.' },
  {
    role: 'system',
    name: 'example_assistant',
    content: 'Things working well together will increase revenue.',
  },
  {
    role: 'system',
    name: 'example_user',
    content:
      "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
  },
  {
    role: 'system',
    name: 'example_assistant',
    content: "Let's talk later when we're less busy about how to do better.",
  },
  {
    role: 'user',
    content: "This late pivot means we don't have time to boil the ocean for the client deliverable.",
  },
]

const weather = {
  messages: [
    {
      role: 'system',
      content: 'You are a helpful assistant that can answer to questions about the weather.',
    },
    { role: 'user', content: "What's the weather like in San Francisco?" },
  ],
  tools: [
    {
      type: 'function',
      function: {
        name: 'get_current_weather',
        description: 'Get the current weather in a given location',
        parameters: {
          type: 'object',
          properties: {
            location: { type: 'string', description: 'The city and state, e.g. San Francisco, CA' },
            unit: {
              type: 'string',
              description: 'The unit of temperature to return',
              enum: ['celsius', 'fahrenheit'],
            },
          },
          required: ['location'],
        },
      },
    },
  ],
}

describe("the cookbook's examples", () => {
  test("The messages of OpenAI's cookbook have 129 tokens on gpt-4 and 124 on gpt-4o.", () => {
    expect(chat({ messages: jargon }, cl100k)).toBe(129)
    expect(chat({ messages: jargon }, o200k)).toBe(124)
  })

  test("The tool of OpenAI's cookbook has 105 tokens on gpt-4 and 101 on gpt-4o.", () => {
    expect(chat(weather, cl100k)).toBe(105)
    expect(chat(weather, o200k)).toBe(101)
  })
})

const object = { type: 'object', properties: {} }
const user = (content: string): object => ({ role: 'user', content })
const system = (content: string): object => ({ role: 'system', content })
const withProperties = (properties: object): object[] => [
  { name: 'bing_bong', description: 'Do a bing bong', parameters: { type: 'object', properties } },
]
const doStuff = [{ name: 'do_stuff', parameters: object }]
const callOf = (args: string): object => ({
  role: 'assistant',
  content: '',
  function_call: { name: 'do_stuff', arguments: args },
})

const reported: readonly (readonly [tokens: number, messages: object[], functions?: object[]])[] = [
  [8, [user('hello')]],
  [9, [user('hello world')]],
  [8, [system('hello')]],
  [9, [system('hello:')]],
  [
    27,
    [
      system("# Important: you're the best robot"),
      user('hello robot'),
      { role: 'assistant', content: 'hello world' },
    ],
  ],
  [31, [user('hello')], [{ name: 'foo', parameters: object }]],
  [36, [user('hello')], [{ name: 'foo', description: 'Do a foo', parameters: object }]],
  [49, [user('hello')], withProperties({ foo: { type: 'string' } })],
  [
    57,
    [user('hello')],
    withProperties({ foo: { type: 'string' }, bar: { type: 'number', description: 'A number' } }),
  ],
  [
    68,
    [user('hello')],
    withProperties({
      foo: {
        type: 'object',
        properties: { bar: { type: 'string', enum: ['a', 'b', 'c'] }, baz: { type: 'boolean' } },
      },
    }),
  ],
  [15, [user('hello world'), { role: 'function', name: 'do_stuff', content: '{}' }]],
  [28, [user('hello world'), { role: 'function', name: 'do_stuff', content: '{"foo": "bar", "baz": 1.5}' }]],
  [24, [{ role: 'function', name: 'dance_the_tango', content: '{"a": { "b" : { "c": false}}}' }]],
  [26, [callOf('{"foo": "bar", "baz": 1.5}')]],
  [25, [callOf('{"foo":"bar", "baz":\n\n 1.5}')]],
  [35, [system('Hello'), user('Hi there')], doStuff],
  [35, [system('Hello:'), user('Hi there')], doStuff],
  [40, [system('Hello:'), system('Hello'), user('Hi there')], doStuff],
  [
    106,
    [user('hello')],
    [
      {
        name: 'get_recipe',
        parameters: {
          type: 'object',
          required: ['ingredients', 'instructions', 'time_to_cook'],
          properties: {
            ingredients: {
              type: 'array',
              items: {
                type: 'object',
                required: ['name', 'unit', 'amount'],
                properties: {
                  name: { type: 'string' },
                  unit: { enum: ['grams', 'ml', 'cups', 'pieces', 'teaspoons'], type: 'string' },
                  amount: { type: 'number' },
                },
              },
            },
            instructions: {
              type: 'array',
              items: { type: 'string' },
              description: 'Steps to prepare the recipe (no numbering)',
            },
            time_to_cook: { type: 'number', description: 'Total time to prepare the recipe in minutes' },
          },
        },
      },
    ],
  ],
]

test.each(reported)('The count of gpt-3.5 was %i tokens for %j with %j.', (tokens, messages, functions) => {
  expect(chat({ messages, ...(functions && { functions }) }, cl100k)).toBe(tokens)
})

test.each([
  [1, 40],
  [2, 89],
  [3, 114],
])('For %i parallel calls with their results, gpt-3.5 reported %i tokens.', (calls, tokens) => {
  const ids = ['a', 'b', 'c'].slice(0, calls)
  const messages = [
    user('How much is 2 plus 2?'),
    {
      role: 'assistant',
      tool_calls: ids.map(id => ({
        id,
        type: 'function',
        function: { name: 'calculator', arguments: '{"a":2, "b":2}' },
      })),
    },
    ...ids.map(tool_call_id => ({ role: 'tool', tool_call_id, content: '4' })),
  ]
  expect(chat({ messages }, cl100k)).toBe(tokens)
})
