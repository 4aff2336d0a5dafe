/** Families of hostile inputs: each makes a value whose size grows with `n`. */
import type { BuiltInWire as Wire } from '@toolwire/core'

type Make = (n: number) => unknown

const times = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i))
const keyed = (n: number, make: (i: number) => unknown, name = 'k'): object =>
  Object.fromEntries(times(n, i => [`${name}${i}`, make(i)]))
function nested(n: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1
  for (let i = 0; i < n; i++) value = wrap(value)
  return value
}

/** Values for any place that takes one. */
export const values: Readonly<Record<string, Make>> = {
  'empty objects': n => times(n, () => ({})),
  numbers: n => times(n, i => i),
  keys: n => keyed(n, i => i),
  'lists in lists': n => nested(Math.min(n, 400), inner => [inner]),
  'objects in objects': n => nested(Math.min(n, 400), inner => ({ a: inner })),
  'a long text': n => 'a'.repeat(n * 10),
  'a text of <': n => '<'.repeat(n * 10),
  'a text of escapes': n => '"\\\n'.repeat(n * 5),
  'a text of backslashes': n => '\\'.repeat(n * 10),
  'a text of spaces': n => `${' '.repeat(n * 10)}x`,
  'a text of colons': n => `{"number${':'.repeat(n * 5)}":1e400}`,
  'JSON in a text': n => JSON.stringify(times(n, () => ({}))),
  'open brackets in a text': n => '[{'.repeat(n * 5),
  'half a pair': n => '\ud800'.repeat(n * 5),
}

const schemas: Readonly<Record<string, Make>> = {
  'many properties': n => ({
    type: 'object',
    properties: keyed(n, () => ({ type: 'string' })),
    required: times(n, i => `k${i}`),
  }),
  'one required name, many times': n => ({
    type: 'object',
    properties: { a: {} },
    required: times(n, () => 'a'),
  }),
  'a long enum': n => ({ type: 'object', properties: { a: { enum: times(n, i => i) } } }),
  'a long enum of objects': n => ({ type: 'object', properties: { a: { enum: times(n, i => ({ i })) } } }),
  'many alternatives': n => ({ type: 'object', properties: { a: { anyOf: times(n, i => ({ const: i })) } } }),
  'many parts': n => ({ type: 'object', allOf: times(n, i => ({ properties: { [`k${i}`]: {} } })) }),
  'a chain of references': n => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: keyed(n, i => ({ $ref: `#/$defs/d${i + 1}` }), 'd'),
  }),
  'one definition, many references': n => ({
    type: 'object',
    properties: keyed(n, () => ({ $ref: '#/$defs/d' })),
    $defs: { d: { type: 'object', properties: { a: { type: 'string' } } } },
  }),
  'definitions in circles': n => ({
    type: 'object',
    properties: { a: { $ref: '#/$defs/d0' } },
    $defs: keyed(
      n,
      i => ({ type: 'object', properties: { next: { $ref: `#/$defs/d${(i + 1) % n}` } } }),
      'd',
    ),
  }),
  'patterns of names': n => ({ type: 'object', patternProperties: keyed(n, () => ({}), '^a') }),
  'nested properties': n => nested(Math.min(n, 200), inner => ({ type: 'object', properties: { a: inner } })),
  'unknown keywords': n => ({ type: 'object', ...keyed(n, i => i, 'x-') }),
  'a long pattern': n => ({
    type: 'object',
    properties: { a: { type: 'string', pattern: '(a|b)?'.repeat(n) } },
  }),
  'two names that are one': n => ({ type: 'object', properties: keyed(n, () => ({}), '__proto__') }),
}

export const schemaFamilies: Readonly<Record<string, Make>> = { ...schemas, ...values }

const functionTool: { readonly [W in Wire]: (name: string, parameters: unknown) => object } = {
  chat: (name, parameters) => ({ type: 'function', function: { name, parameters, strict: true } }),
  responses: (name, parameters) => ({ type: 'function', name, parameters, strict: true }),
  messages: (name, input_schema) => ({ name, input_schema, strict: true }),
}

const plain = { type: 'object', properties: { a: { type: 'string' } } }

export function toolFamilies(wire: Wire): Readonly<Record<string, Make>> {
  const tool = functionTool[wire]
  const lists: Record<string, Make> = {
    tools: n => times(n, i => tool(`f${i}`, plain)),
    'tools of one name': n => times(n, () => tool('f', plain)),
    'names that become one': n => times(n, i => tool(`f${'.'.repeat(i % 50)}${'é'.repeat(i % 7)}`, plain)),
    'long names': n => times(n, i => tool(`${'long'.repeat(30)}${i}`, plain)),
    'unknown types': n => times(n, i => ({ type: `odd_${i}`, name: `n${i}` })),
    'custom tools': n => times(n, i => ({ type: 'custom', name: `c${i}`, custom: { name: `c${i}` } })),
    namespaces: n => times(n, i => ({ type: 'namespace', name: `n${i}`, tools: [tool('same', plain)] })),
    'one namespace': n => [{ type: 'namespace', name: 'n', tools: times(n, i => tool(`f${i}`, plain)) }],
    'search tools': n => times(n, () => ({ type: 'web_search' })),
    'odd fields': n => [{ ...tool('f', plain), ...keyed(n, i => i) }],
  }
  const bySchema = Object.entries(schemas).map(([name, make]): [string, Make] => [
    `a schema of ${name}`,
    n => [tool('f', make(n))],
  ])
  return { ...lists, ...Object.fromEntries(bySchema), ...values }
}

/** Bodies of requests, without the tools. */
export function historyFamilies(wire: Wire): Readonly<Record<string, (n: number) => object>> {
  const field = wire === 'responses' ? 'input' : 'messages'
  const list =
    (make: (i: number) => unknown): ((n: number) => object) =>
    n => ({ [field]: times(n, make) })
  const text = wire === 'responses' ? 'input_text' : 'text'
  const families: Record<string, (n: number) => object> = {
    'messages of one role': list(() => ({ role: 'user', content: 'a' })),
    'messages in turns': list(i => ({ role: i % 2 === 0 ? 'user' : 'assistant', content: 'a' })),
    'system messages': list(() => ({ role: 'system', content: 'a' })),
    'odd roles': list(i => ({ role: `r${i}`, content: 'a' })),
    'odd fields': list(i => ({ role: 'user', content: 'a', [`x${i}`]: i })),
    parts: n => ({ [field]: [{ role: 'user', content: times(n, () => ({ type: text, text: 'a' })) }] }),
    'odd parts': n => ({ [field]: [{ role: 'user', content: times(n, i => ({ type: `t${i}` })) }] }),
    images: n => ({
      [field]: [
        {
          role: 'user',
          content: times(n, () => ({ type: 'image_url', image_url: { url: 'https://i.example/x' } })),
        },
      ],
    }),
    'calls and results': callsOf(wire, i => `c${i}`),
    'calls of one id': callsOf(wire, () => 'c'),
    'settings that nobody knows': n => keyed(n, i => i),
    metadata: n => ({ metadata: keyed(n, String) }),
    'stop words': n => ({ stop: times(n, String), stop_sequences: times(n, String) }),
    'choices of tools': n => ({
      tool_choice: {
        type: 'allowed_tools',
        mode: 'auto',
        tools: times(n, i => ({ type: 'function', name: `f${i}` })),
      },
    }),
  }
  for (const [name, make] of Object.entries(values)) {
    families[`history: ${name}`] = n => ({ [field]: make(n) })
    families[`content: ${name}`] = n => ({ [field]: [{ role: 'user', content: make(n) }] })
    families[`arguments: ${name}`] = n => argumentsOf(wire, String(make(n)))
  }
  return families
}

function callsOf(wire: Wire, id: (i: number) => string): (n: number) => object {
  return n => {
    if (wire === 'responses') {
      return {
        input: [
          ...times(n, i => ({ type: 'function_call', call_id: id(i), name: 'f', arguments: '{}' })),
          ...times(n, i => ({ type: 'function_call_output', call_id: id(n - 1 - i), output: 'a' })),
        ],
      }
    }
    if (wire === 'messages') {
      return {
        messages: [
          {
            role: 'assistant',
            content: times(n, i => ({ type: 'tool_use', id: id(i), name: 'f', input: {} })),
          },
          {
            role: 'user',
            content: times(n, i => ({ type: 'tool_result', tool_use_id: id(n - 1 - i), content: 'a' })),
          },
        ],
      }
    }
    const call = (i: number): object => ({
      id: id(i),
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    })
    return {
      messages: [
        { role: 'assistant', tool_calls: times(n, call) },
        ...times(n, i => ({ role: 'tool', tool_call_id: id(n - 1 - i), content: 'a' })),
      ],
    }
  }
}

function argumentsOf(wire: Wire, text: string): object {
  if (wire === 'responses')
    return { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: text }] }
  if (wire === 'messages')
    return {
      messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: text }] }],
    }
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: text } }
  return { messages: [{ role: 'assistant', tool_calls: [call] }] }
}

/** Complete answers of an upstream. */
export function answerFamilies(wire: Wire): Readonly<Record<string, (n: number) => object>> {
  const { wrap, call } = answerShapes[wire]
  const families: Record<string, (n: number) => object> = {
    calls: n => wrap(times(n, i => call(`c${i}`, 'f', '{}'))),
    'calls of one id': n => wrap(times(n, () => call('c', 'f', '{}'))),
    'calls of nobody': n => wrap(times(n, i => call(`c${i}`, `g${i}`, '{}'))),
    'odd parts': n => wrap(times(n, i => ({ type: `t${i}` }))),
  }
  for (const [name, make] of Object.entries(values)) {
    families[`parts: ${name}`] = n => wrap(make(n))
    families[`arguments: ${name}`] = n => wrap([call('c', 'f', String(make(n)))])
    families[`anything: ${name}`] = n => ({ ...wrap([]), odd: make(n) })
  }
  return families
}

const answerShapes: {
  readonly [W in Wire]: {
    readonly wrap: (parts: unknown) => object
    readonly call: (id: string, name: string, text: string) => object
  }
} = {
  chat: {
    wrap: tool_calls => ({
      id: 'a',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'a', tool_calls } },
      ],
    }),
    call: (id, name, text) => ({ id, type: 'function', function: { name, arguments: text } }),
  },
  responses: {
    wrap: output => ({ id: 'a', object: 'response', status: 'completed', output }),
    call: (call_id, name, text) => ({
      type: 'function_call',
      id: `fc_${call_id}`,
      call_id,
      name,
      arguments: text,
    }),
  },
  messages: {
    wrap: content => ({ id: 'a', type: 'message', role: 'assistant', stop_reason: 'end_turn', content }),
    call: (id, name, input) => ({ type: 'tool_use', id, name, input }),
  },
}
