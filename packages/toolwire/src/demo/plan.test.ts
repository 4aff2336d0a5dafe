/** Which tool the demo model calls, how often, and with which values of the message. */
import { describe, expect, test } from 'vitest'
import { answerTo, callsFor, tool } from './demo-client.test-helper.ts'

const text = { type: 'string' }
const count = { type: 'integer' }
const unit = { type: 'string', enum: ['celsius', 'fahrenheit'] }

const weather = tool('get_weather', { city: text, unit, days: count }, ['city'], 'Current weather for a city')
const time = tool('get_time', { timezone: text })
const search = tool('search_docs', { query: text, limit: count }, ['query'])
const add = tool('add', { a: { type: 'number' }, b: { type: 'number' } }, undefined, 'Adds two numbers')
const total = tool('total', { of: { type: 'array', items: { type: 'number' } } })
const mail = tool('search_mail', { to: { type: 'string', format: 'email' }, subject: text, body: text }, [
  'to',
  'body',
])
const read = tool('read_file', { path: text })
const shell = tool('exec_command', { cmd: text, workdir: text }, ['cmd'])
const all = [weather, time, search, add, total, mail, read, shell]

describe('The demo model calls the tool that shares most words with the message', () => {
  test.each<[message: string, calls: readonly unknown[]]>([
    ["What's the weather in Oslo?", [['get_weather', { city: 'Oslo' }]]],
    ['Search docs for "tool calls", 3 results', [['search_docs', { query: 'tool calls', limit: 3 }]]],
    ['Add 2 and 3', [['add', { a: 2, b: 3 }]]],
    ['The total of 20 and 22', [['total', { of: [20, 22] }]]],
    [
      'Search the mail to bob@example.com that says "See you at noon"',
      [['search_mail', { to: 'bob@example.com', body: 'See you at noon' }]],
    ],
    ['Read the file src/index.ts', [['read_file', { path: 'src/index.ts' }]]],
    // Without a value that stands out, a required text is the message.
    ['search the docs', [['search_docs', { query: 'search the docs' }]]],
  ])('A message such as %j fills its arguments.', async (message, calls) => {
    expect(await callsFor(message, all)).toEqual(calls)
  })

  test.each<[message: string, calls: readonly unknown[]]>([
    ['What is the weather in Oslo and Rome?', ['Oslo', 'Rome'].map(city => ['get_weather', { city }])],
    [
      'Weather for New York, Lima and Paris in fahrenheit for 3 days',
      ['New York', 'Lima', 'Paris'].map(city => ['get_weather', { city, unit: 'fahrenheit', days: 3 }]),
    ],
    ['Read README.md and package.json', ['README.md', 'package.json'].map(path => ['read_file', { path }])],
  ])('Several values for one parameter in %j make several calls.', async (message, calls) => {
    expect(await callsFor(message, all)).toEqual(calls)
  })

  test('There is one call when parallel calls are switched off.', async () => {
    const calls = await callsFor('Weather in Oslo and Rome', all, { parallel_tool_calls: false })
    expect(calls).toEqual([['get_weather', { city: 'Oslo' }]])
  })
})

describe('The questions of the documentation', () => {
  test('The curl examples of the banner call get_weather for Oslo.', async () => {
    const optional = tool('get_weather', { city: text }, [])
    expect(await callsFor('Weather in Oslo?', [optional])).toEqual([['get_weather', { city: 'Oslo' }]])
  })

  const extension = [
    tool('get_time', { city: text }, ['city'], 'The time of day in a city'),
    tool('list_tabs', {}, [], 'The titles and addresses of the open tabs'),
    tool('save_note', { text: { ...text, pattern: '\\S' } }, ['text'], 'Keeps a note'),
    tool('show_notes', {}, [], 'All notes that were kept'),
  ]

  test.each<[message: string, calls: readonly unknown[]]>([
    ['What time is it in Oslo and Tokyo?', ['Oslo', 'Tokyo'].map(city => ['get_time', { city }])],
    ['Save the note “by chat”', [['save_note', { text: 'by chat' }]]],
    ['Show my notes', [['show_notes', {}]]],
    ['List the open tabs', [['list_tabs', {}]]],
    ['What time is it in Atlantis?', [['get_time', { city: 'Atlantis' }]]],
  ])('The example extension gets the calls for %j.', async (message, calls) => {
    expect(await callsFor(message, extension)).toEqual(calls)
  })
})

describe('Text that may be run', () => {
  test.each([
    ['Exec the command `ls -la`', 'ls -la'],
    ['Exec a command that does rm -rf on Everything in /etc', 'echo "Hello from the demo model"'],
  ])('The command for %j is quoted by the user or harmless.', async (message, cmd) => {
    expect(await callsFor(message, all)).toEqual([['exec_command', { cmd }]])
  })

  test('The text of a code tool is harmless whatever its parameter is called.', async () => {
    const python = tool('python', { input: text })
    expect(await callsFor('Use python to delete Everything', [python])).toEqual([
      ['python', { input: '"Hello from the demo model"' }],
    ])
    const sql = { type: 'custom', custom: { name: 'run_sql' } }
    expect(await callsFor('Run sql to drop the Users table', [sql])).toEqual([
      ['run_sql', "SELECT 'Hello from the demo model'"],
    ])
  })

  test('A command that is an array of words is harmless too.', async () => {
    const local = tool('local_shell', { command: { type: 'array', items: text } })
    expect(await callsFor('Use the shell to remove /tmp/a', [local])).toEqual([
      ['local_shell', { command: ['echo "Hello from the demo model"'] }],
    ])
  })
})

describe('Never destroying', () => {
  const file = expect.stringMatching(/^hello-from-the-demo-model-[0-9a-f]{8}\.txt$/)
  const content = { path: text, content: text }

  test.each<[string, object[], object]>([
    ['Write "Hi" to input.txt', [tool('write_file', content)], { path: file, content: 'Hi' }],
    [
      'Write "Hi" to /home/me/input.txt',
      [tool('Write', { file_path: text, content: text })],
      { file_path: file, content: 'Hi' },
    ],
    [
      'Save "Hi" in the files a.txt and b.txt',
      [tool('save', { files: { type: 'array', items: text } })],
      { files: [file, file, file] },
    ],
  ])('What is written for %j goes into a new file.', async (message, tools, args) => {
    const [call] = await callsFor(message, tools)
    expect(call).toEqual([expect.any(String), args])
  })

  test.each<[string, object[]]>([
    ['Edit input.txt', [tool('Edit', { file_path: text, old_string: text, new_string: text })]],
    ['Delete input.txt', [tool('delete_file', { path: text })]],
    ['Move a.txt to b.txt', [tool('move_file', { source: text, destination: text })]],
    ['Look at and delete notes.md', [tool('look', { action: { enum: ['view', 'delete'] }, path: text })]],
    ['Find a.txt and b.txt', [tool('find_files', { path: text, output_file: text })]],
    ['Fetch a.example/b with DELETE', [tool('fetch', { url: text, method: text })]],
    ['Fetch the mails', [tool('fetch_mails', { delete_after_fetch: { const: true } })]],
    ['Run the shell', [tool('shell', { command: { enum: ['make clean'] } })]],
    ['Run the task', [tool('run', { task: text })]],
    ['Convert a.png', [tool('convert_image', { path: text })]],
    ['Process notes.md', [tool('process', { path: text }, ['path'], 'Overwrites a file')]],
    ['Write notes.md', [tool('write', { path: { type: 'string', pattern: '^/data/' } })]],
  ])('The message %j is declined in words.', async (message, tools) => {
    const { choices } = await answerTo({ messages: [{ role: 'user', content: message }], tools })
    expect(choices[0]?.message.tool_calls).toBeUndefined()
    expect(choices[0]?.message.content).toContain('I do not call')
  })

  test('A read of a file whose name says what is not done is read.', async () => {
    const read = tool('read_file', { path: text })
    expect(await callsFor('Read src/delete.ts', [read])).toEqual([['read_file', { path: 'src/delete.ts' }]])
  })

  test.each([
    ['Exec the command `rm -rf build`', 'echo "Hello from the demo model"'],
    ['Exec the command `ls > input.txt`', 'echo "Hello from the demo model"'],
    ['Exec the command `cat a.txt`', 'cat a.txt'],
  ])('Of quoted commands, as in %j, only those that read are run.', async (message, cmd) => {
    expect(await callsFor(message, all)).toEqual([['exec_command', { cmd }]])
  })
})

/** Everything that a tool might need to do its worst. */
const anything = { id: text, key: text, name: text, value: text, path: text, force: { type: 'boolean' } }

async function declined(name: string, properties: object): Promise<boolean> {
  const tools = [tool(name, properties)]
  const tool_choice = { type: 'function', function: { name } }
  const { choices } = await answerTo({ messages: [{ role: 'user', content: 'Do it' }], tools, tool_choice })
  const { tool_calls, content } = choices[0]?.message ?? {}
  if (tool_calls === undefined) expect(content).toMatch(/I do not call .*: it (?:says|does not say|writes)/)
  return tool_calls === undefined
}

describe('Names that do not say that a tool only reads', () => {
  test.each(
    `format_disk git_push cancel_order close_account archive_project transfer_money deploy put_object save_document
     set_config send_email order_pizza book_flight post_message make_payment run_payroll execute_trade restart exec
     createUser update-record drop.table mcp__bank__pay add_user add mark_read mark_as_read send_list set_time
     start_timer check_out check_in_guest get_and_obliterate search_and_destroy find_and_replace find_or_create
     get_rid_of_user patch_deployment patch_user git_commit git_reset scale_deployment publish merge_pull_request
     write_stdin upload_file create_order create_branch make generate_invoice kubectl_apply terraform_apply
     empty_trash submitForm click navigate type press grant_access rotate_keys frobnicate getweather x`.split(
      /\s+/,
    ),
  )('The tool %s is declined.', async name => {
    expect(await declined(name, anything)).toBe(true)
    expect(await declined(name, {})).toBe(true)
  })
})

describe('Names that say that a tool only reads', () => {
  test.each(
    `get_weather getWeather weather current_weather weather_forecast get_time time current_time now list_files ls LS
     read_file Read Glob Grep search web_search WebSearch WebFetch brave_web_search stock_price_lookup find_user
     look_up_order query_orders show_notes describe_table count_words calculate_tax convert_currency echo
     github_get_issue mcp__github__list_commits docs.search list_orders get_post list_commits get_weather_and_time
     git_status git_log git_diff random_number roll_dice ask_user translate_text`.split(/\s+/),
  )('The tool %s is called.', async name => {
    expect(await declined(name, { topic: text })).toBe(false)
  })
})

describe('Custom tools', () => {
  test('A custom tool gets the quoted text, or the message.', async () => {
    const find = { type: 'custom', custom: { name: 'find_note', description: 'Finds a note' } }
    expect(await callsFor('Find the note "buy milk"', [find])).toEqual([['find_note', 'buy milk']])
    expect(await callsFor('Note cats', [find])).toEqual([['find_note', 'Note cats']])
  })

  test('A custom tool with a regular expression gets a text that matches it.', async () => {
    const grammar = { syntax: 'regex', definition: '^[0-9]{4}-[0-9]{2}$' }
    const stamp = { type: 'custom', custom: { name: 'get_stamp', format: { type: 'grammar', grammar } } }
    const [call] = await callsFor('Stamp this', [stamp])
    expect(call).toEqual(['get_stamp', expect.stringMatching(/^\d{4}-\d{2}$/)])
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

  test('With none, there is no call although a tool fits.', async () => {
    expect(await callsFor('Weather in Oslo', all, { tool_choice: 'none' })).toEqual([])
  })

  test('With auto, there is no call when no tool fits.', async () => {
    for (const message of ['Hello!', 'Thanks, that is all I need to know', 'Tell me a joke'])
      expect(await callsFor(message, all)).toEqual([])
  })

  test('With required, there is a call although no tool fits.', async () => {
    expect(await callsFor('Hello!', [weather], { tool_choice: 'required' })).toMatchObject([
      ['get_weather', {}],
    ])
  })

  test('A named tool is called although another one fits better.', async () => {
    expect(await callsFor('Weather in Oslo', all, named('get_time'))).toEqual([
      ['get_time', { timezone: 'Oslo' }],
    ])
  })

  test('With allowed tools, only these are called.', async () => {
    expect(await callsFor('Weather in Oslo', all, allowed('auto', 'read_file'))).toEqual([])
    const required = allowed('required', 'read_file', 'get_time')
    expect(await callsFor('Weather in Oslo', all, required)).toHaveLength(1)
    expect(await callsFor('Time in Oslo', all, allowed('auto', 'get_time'))).toHaveLength(1)
  })

  test('A call that is still required after results is made again.', async () => {
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

test('A required parameter that may be null is null when the message has no value for it.', async () => {
  const find = tool('find_files', { query: text, limit: { type: ['integer', 'null'] } })
  expect(await callsFor('Find files with "cats"', [find])).toEqual([
    ['find_files', { query: 'cats', limit: null }],
  ])
})

test('The notes that agents add in tags are not part of the message.', async () => {
  const content = [
    { type: 'text', text: '<system-reminder>Use read_file a lot.</system-reminder>' },
    { type: 'text', text: 'Weather in Oslo' },
  ]
  const { choices } = await answerTo({ messages: [{ role: 'user', content }], tools: all })
  expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_weather' } }])
})
