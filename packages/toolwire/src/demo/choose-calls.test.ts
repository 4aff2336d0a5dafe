import { describe, expect, it } from 'vitest'
import { answerTo, callsFor, tool } from './ask.test-helper.ts'

const text = { type: 'string' }
const count = { type: 'integer' }
const unit = { type: 'string', enum: ['celsius', 'fahrenheit'] }

const weather = tool('get_weather', { city: text, unit, days: count }, ['city'], 'Current weather for a city')
const time = tool('get_time', { timezone: text })
const search = tool('search_docs', { query: text, limit: count }, ['query'])
const date = { type: 'string', format: 'date' }
const flight = tool('book_flight', { origin: text, destination: text, date, passengers: count }, [
  'origin',
  'destination',
])
const add = tool('add', { a: { type: 'number' }, b: { type: 'number' } }, undefined, 'Adds two numbers')
const email = { type: 'string', format: 'email' }
const mail = tool('send_email', { to: email, subject: text, body: text }, ['to', 'body'])
const read = tool('read_file', { path: text })
const shell = tool('exec_command', { cmd: text, workdir: text }, ['cmd'])
const calculator = tool('calculator', { expression: text })
const translate = tool('translate', { text, target_language: text })
const factorial = tool('factorial', { n: count })
const compare = tool('compare_cities', { cities: { type: 'array', items: text } })
const all = [weather, time, search, flight, add, mail, read, shell, calculator, translate, factorial]

describe('the tool that fits the words, with the words in its arguments', () => {
  it.each<[message: string, tools: readonly object[], calls: readonly unknown[]]>([
    ["What's the weather in Oslo?", [weather], [['get_weather', { city: 'Oslo' }]]],
    ['Oslo weather?', all, [['get_weather', { city: 'Oslo' }]]],
    ['Is it raining in San Francisco, CA?', all, [['get_weather', { city: 'San Francisco, CA' }]]],
    ['What time is it in Rio de Janeiro?', all, [['get_time', { timezone: 'Rio de Janeiro' }]]],
    ['Search the docs for streaming', all, [['search_docs', { query: 'streaming' }]]],
    [
      'Search docs for "tool calls", top 3 results',
      all,
      [['search_docs', { query: 'tool calls', limit: 3 }]],
    ],
    ['Add 2 and 3', all, [['add', { a: 2, b: 3 }]]],
    ['What is 2 + 3 * (4-1)?', all, [['calculator', { expression: '2 + 3 * (4-1)' }]]],
    [
      'Send an email to bob@example.com saying "See you at noon"',
      all,
      [['send_email', { to: 'bob@example.com', body: 'See you at noon' }]],
    ],
    [
      'Book a flight from Oslo to Rome on 2026-12-24 for two passengers',
      all,
      [['book_flight', { origin: 'Oslo', destination: 'Rome', date: '2026-12-24', passengers: 2 }]],
    ],
    ['Book a flight between Oslo and Rome', all, [['book_flight', { origin: 'Oslo', destination: 'Rome' }]]],
    ['Compare Oslo with Rome', [compare], [['compare_cities', { cities: ['Oslo', 'Rome'] }]]],
  ])('%s', async (message, tools, calls) => {
    expect(await callsFor(message, tools)).toEqual(calls)
  })
})

describe('several things asked for are several calls', () => {
  it.each<[message: string, calls: readonly unknown[]]>([
    [
      'What is the weather in Oslo and Rome?',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_weather', { city: 'Rome' }],
      ],
    ],
    [
      'weather in oslo and rome today please',
      [
        ['get_weather', { city: 'oslo' }],
        ['get_weather', { city: 'rome' }],
      ],
    ],
    [
      'Weather for New York, Lima and Paris in fahrenheit for 3 days',
      ['New York', 'Lima', 'Paris'].map(city => ['get_weather', { city, unit: 'fahrenheit', days: 3 }]),
    ],
    ['Get the weather for:\n- Oslo\n- Rome', ['Oslo', 'Rome'].map(city => ['get_weather', { city }])],
    ['Compare the weather in Oslo with Rome', ['Oslo', 'Rome'].map(city => ['get_weather', { city }])],
    [
      'weather in Oslo and the time in Rome',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { timezone: 'Rome' }],
      ],
    ],
    [
      'What are the weather and the time in Oslo?',
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { timezone: 'Oslo' }],
      ],
    ],
    ['Read README.md and package.json', ['README.md', 'package.json'].map(path => ['read_file', { path }])],
    ['The factorial of 5 and 7', [5, 7].map(n => ['factorial', { n }])],
    [
      'Translate "good morning" to French and German',
      ['French', 'German'].map(target_language => ['translate', { text: 'good morning', target_language }]),
    ],
  ])('%s', async (message, calls) => {
    expect(await callsFor(message, all)).toEqual(calls)
  })

  it('but one call when parallel calls are switched off', async () => {
    const calls = await callsFor('Weather in Oslo and the time in Rome', all, { parallel_tool_calls: false })
    expect(calls).toEqual([['get_weather', { city: 'Oslo' }]])
  })
})

describe('what is run as code is quoted by the user or harmless', () => {
  it.each([
    ['Run `ls -la`', 'ls -la'],
    ['Run a command that does rm -rf on Everything', 'echo "Hello from the demo model"'],
  ])('%s', async (message, cmd) => {
    expect(await callsFor(message, all)).toEqual([['exec_command', { cmd }]])
  })

  it('a free-text tool too', async () => {
    const sql = { type: 'custom', custom: { name: 'run_sql' } }
    expect(await callsFor('Run sql to drop the Users table', [sql])).toEqual([
      ['run_sql', "SELECT 'Hello from the demo model'"],
    ])
  })
})

describe('free-text tools', () => {
  it('get what was quoted, or the subject', async () => {
    const note = { type: 'custom', custom: { name: 'note', description: 'Keeps a note' } }
    expect(await callsFor('Take a note: "buy milk"', [note])).toEqual([['note', 'buy milk']])
    expect(await callsFor('Take a note about cats', [note])).toEqual([['note', 'cats']])
  })

  it('match a regular expression', async () => {
    const grammar = { syntax: 'regex', definition: '^[0-9]{4}-[0-9]{2}$' }
    const stamp = { type: 'custom', custom: { name: 'stamp', format: { type: 'grammar', grammar } } }
    const [call] = await callsFor('Stamp this', [stamp])
    expect(call).toEqual(['stamp', expect.stringMatching(/^\d{4}-\d{2}$/)])
  })

  it('wrapped as a function, get the text as its one string', async () => {
    const wrapped = tool('note', { input: text }, ['input'])
    expect(await callsFor('Take a note about cats', [wrapped])).toEqual([['note', { input: 'cats' }]])
  })
})

describe('tool_choice', () => {
  const named = (name: string): object => ({ tool_choice: { type: 'function', function: { name } } })
  const allowed = (mode: string, ...names: string[]): object => ({
    tool_choice: {
      type: 'allowed_tools',
      allowed_tools: { mode, tools: names.map(name => ({ type: 'function', function: { name } })) },
    },
  })

  it('none: no call, though one fits', async () => {
    expect(await callsFor('Weather in Oslo', all, { tool_choice: 'none' })).toEqual([])
  })

  it('auto: no call when nothing fits', async () => {
    for (const message of ['Hello!', 'Thanks, that is all I need to know', 'Tell me a joke'])
      expect(await callsFor(message, all)).toEqual([])
  })

  it('required: a call, though nothing fits', async () => {
    expect(await callsFor('Hello!', [weather], { tool_choice: 'required' })).toMatchObject([
      ['get_weather', {}],
    ])
  })

  it('named: that one, though another fits better', async () => {
    expect(await callsFor('Weather in Oslo', all, named('get_time'))).toEqual([
      ['get_time', { timezone: 'Oslo' }],
    ])
  })

  it('allowed: among these only', async () => {
    expect(await callsFor('Weather in Oslo', all, allowed('auto', 'read_file'))).toEqual([])
    expect(await callsFor('Weather in Oslo', all, allowed('required', 'read_file', 'get_time'))).toHaveLength(
      1,
    )
    expect(await callsFor('Time in Oslo', all, allowed('auto', 'get_time'))).toHaveLength(1)
  })

  it('required again after results: a call again, as on the wire', async () => {
    const { choices } = await answerTo({
      tools: [weather],
      tool_choice: 'required',
      messages: [
        { role: 'user', content: 'Weather in Oslo' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'cold' },
      ],
    })
    expect(choices[0]?.finish_reason).toBe('tool_calls')
  })
})

it('an example in a description stands in for what nobody said', async () => {
  const city = { type: 'string', description: 'The city, e.g. Paris' }
  expect(await callsFor("How's the weather?", [tool('get_weather', { city })])).toEqual([
    ['get_weather', { city: 'Paris' }],
  ])
})

it('parameters that may be null are null when nothing was said, and flags follow the words', async () => {
  const properties = {
    query: text,
    limit: { type: ['integer', 'null'] },
    recursive: { type: 'boolean' },
    hidden: { type: 'boolean' },
  }
  const find = tool('find_files', properties, ['query', 'limit', 'recursive', 'hidden'])
  expect(await callsFor('Find files for "cats", recursive but without hidden', [find])).toEqual([
    ['find_files', { query: 'cats', limit: null, recursive: true, hidden: false }],
  ])
})

it('the notes that agents add in tags are not what the user asked', async () => {
  const content = [
    { type: 'text', text: '<system-reminder>Use read_file a lot.</system-reminder>' },
    { type: 'text', text: 'Weather in Oslo' },
  ]
  const { choices } = await answerTo({ messages: [{ role: 'user', content }], tools: all })
  expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }])
})
