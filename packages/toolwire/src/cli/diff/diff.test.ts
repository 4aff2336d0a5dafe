import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../terminal/display-width.ts'
import { type Setup, toolwire } from '../memory-io.test-helper.ts'

const request = {
  model: 'm',
  truncation: 'auto',
  input: [
    { role: 'user', content: 'Hi' },
    { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'a', output: 'ok' },
  ],
  text: { verbosity: 'low' },
}
const terminal = (columns: number): Setup => ({ isTTY: true, columns, env: { NO_COLOR: '1' } })

const diff = async (value: unknown, setup: Setup = {}, ...argv: string[]) => {
  const result = await toolwire(['diff', ...argv], { stdin: JSON.stringify(value), ...setup })
  return { ...result, lines: result.stdout.split('\n') }
}

describe('diff', () => {
  test('"diff" shows a request on every wire side by side, with marks at the losses of the source.', async () => {
    const { code, stdout, stderr } = await diff(request, terminal(120))
    expect([code, stderr]).toEqual([0, 'Read as responses; name another with --from.\n'])
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      Chat                                   │ Responses · source                     │ Messages
      ───────────────────────────────────────┼────────────────────────────────────────┼───────────────────────────────────────
      {                                      │    {                                   │ {
        "model": "m",                        │      "model": "m",                     │   "model": "m",
        "messages": [                        │ CM   "truncation": "auto",             │   "max_tokens": 32000,
          {                                  │      "input": [                        │   "messages": [
            "role": "user",                  │        {                               │     {
            "content": "Hi"                  │          "role": "user",               │       "role": "user",
          },                                 │          "content": "Hi"               │       "content": [
          {                                  │        },                              │         {
            "role": "assistant",             │        {                               │           "type": "text",
            "content": null,                 │          "type": "function_call",      │           "text": "Hi",
            "tool_calls": [                  │          "call_id": "a",               │           "cache_control": {
              {                              │          "name": "f",                  │             "type": "ephemeral"
                "id": "a",                   │          "arguments": "{}"             │           }
                "type": "function",          │        },                              │         }
                "function": {                │        {                               │       ]
                  "name": "f",               │          "type": "function_call_outpu… │     },
                  "arguments": "{}"          │          "call_id": "a",               │     {
                }                            │          "output": "ok"                │       "role": "assistant",
              }                              │        }                               │       "content": [
            ]                                │      ],                                │         {
          },                                 │      "text": { "verbosity": "low" }    │           "type": "tool_use",
          {                                  │    }                                   │           "id": "a",
            "role": "tool",                  │                                        │           "name": "f",
            "tool_call_id": "a",             │                                        │           "input": {}
            "content": "ok"                  │                                        │         }
          }                                  │                                        │       ]
        ],                                   │                                        │     },
        "verbosity": "low"                   │                                        │     {
      }                                      │                                        │       "role": "user",
                                             │                                        │       "content": [
                                             │                                        │         {
                                             │                                        │           "type": "tool_result",
                                             │                                        │           "tool_use_id": "a",
                                             │                                        │           "content": "ok",
                                             │                                        │           "cache_control": {
                                             │                                        │             "type": "ephemeral"
                                             │                                        │           }
                                             │                                        │         }
                                             │                                        │       ]
                                             │                                        │     }
                                             │                                        │   ]
                                             │                                        │ }
      ───────────────────────────────────────┼────────────────────────────────────────┼───────────────────────────────────────
      ! field_dropped                        │ as given                               │ ! field_dropped
        truncation                           │                                        │   truncation
                                             │                                        │ 3 notes

      C: lost on Chat. M: lost on Messages. Ask "toolwire explain <code>" about any of the losses.
      "
    `)
  })

  test('"diff" shows an answer, and the same in every run.', async () => {
    const answer = {
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Hi' }],
      stop_reason: 'end_turn',
    }
    const { stdout, lines } = await diff(answer, terminal(120))
    expect(lines[0]).toMatch(/^Chat +│ Responses +│ Messages · source$/)
    expect(stdout).toContain('"object": "chat.completion"')
    expect(stdout).toContain('"object": "response"')
    expect((await diff(answer, terminal(120))).stdout).toBe(stdout)
  })

  test('"diff" shows tools of a list, of a body and a single one.', async () => {
    const tool = { type: 'file_search', vector_store_ids: ['v'] }
    for (const value of [[tool], { tools: [tool] }, tool]) {
      const { code, stdout, lines } = await diff(value, terminal(120))
      expect(code).toBe(0)
      expect(lines[0]).toMatch(/^Chat +│ Responses · source +│ Messages$/)
      expect(stdout).toMatch(/^! hosted_tool_dropped +│ as given +│ ! hosted_tool_dropped$/m)
      expect(stdout).toMatch(/^ {2}tools\[0\] +│ +│ {3}tools\[0\]$/m)
    }
  })

  test('In a narrow terminal "diff" shows the wires one below the other.', async () => {
    const { stdout, lines } = await diff(request, terminal(119))
    expect(stdout).not.toContain('│')
    expect(lines.filter(line => /^(Chat|Responses · source|Messages)$/.test(line))).toHaveLength(3)
    expect(stdout).toContain('CM   "truncation": "auto",')
  })

  test('"diff --json" writes each value with its diagnostics, and nothing to stderr.', async () => {
    const { code, stdout, stderr } = await diff(request, {}, '--json')
    expect([code, stderr]).toEqual([0, ''])
    const views = JSON.parse(stdout)
    expect(Object.keys(views)).toEqual(['chat', 'responses', 'messages'])
    expect(views.responses).toEqual({ value: request, diagnostics: [] })
    expect(views.chat).toMatchObject({
      value: { messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }] },
      diagnostics: [{ code: 'field_dropped', path: ['truncation'] }],
    })
    expect(views.messages.value.messages[1].content[0].type).toBe('tool_use')
  })

  test('"diff" cuts long values, and shows them with --full.', async () => {
    const long = {
      input: Array.from({ length: 90 }, (_, i) => ({ role: 'user', content: `Nr ${i} ${'z'.repeat(200)}` })),
    }
    const short = await diff(long, terminal(120))
    expect(short.lines.length).toBeLessThan(80)
    expect(short.stdout).toMatch(/… \d+ more lines \(--full\)/)
    expect(short.stdout).not.toContain('Nr 89')
    const full = await diff(long, terminal(120), '--full')
    expect(full.stdout.match(/Nr 89/g)).toHaveLength(3)
    expect(full.stdout).not.toContain('…')
    expect(full.stdout.match(/z/g)).toHaveLength(3 * 90 * 200)
  })

  test('"diff" counts the losses that it does not list.', async () => {
    const content = Array.from({ length: 30 }, () => ({ type: 'new_part' }))
    const { stdout } = await diff({ instructions: 'i', input: [{ role: 'user', content }] }, terminal(120))
    expect(stdout).toMatch(/^! part_dropped ×30 /m)
    expect(stdout).toMatch(/^… 19 more \(--full\)/m)
    expect(
      (await diff({ instructions: 'i', input: [{ role: 'user', content }] }, terminal(120), '--full')).stdout,
    ).toContain('input[0].content[29]')
  })

  test('The columns of "diff" stay aligned with wide and dangerous characters.', async () => {
    const content = '\u202e\u009b\u0007日本語👍🏽e\u0301'.repeat(9)
    for (const argv of [[], ['--full']]) {
      for (const columns of [120, 151, 60]) {
        const { stdout, lines } = await diff(
          { instructions: content, input: content },
          terminal(columns),
          ...argv,
        )
        for (const char of ['\u202e', '\u009b', '\u0007']) expect(stdout).not.toContain(char)
        expect(stdout).toContain('\\u202e')
        expect(Math.max(...lines.slice(0, -2).map(displayWidth))).toBeLessThanOrEqual(Math.max(columns, 94))
        if (columns < 120) continue
        const [first = ''] = lines
        const bars = [...first.matchAll(/│/g)].map(({ index }) => displayWidth(first.slice(0, index)))
        for (const line of lines.filter(text => text.includes('│'))) {
          const found = [...line.matchAll(/│/g)].map(({ index }) => displayWidth(line.slice(0, index)))
          expect(found).toEqual(bars.slice(0, found.length))
        }
      }
    }
  })

  test('The marks of "diff" are coloured by severity.', async () => {
    const open = {
      truncation: 'auto',
      input: [{ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }],
    }
    const { stdout } = await diff(open, { isTTY: true, columns: 120 })
    expect(stdout).toContain('\u001b[33mC\u001b[39m')
    expect(stdout).toContain('\u001b[31mC\u001b[39m')
    expect(stdout).toContain('\u001b[36m"truncation"\u001b[39m:')
  })

  test('"diff" refuses a stream, and input of an unknown wire.', async () => {
    const events = await toolwire(['diff'], { stdin: 'data: {}\n\n' })
    expect([events.code, events.stdout]).toEqual([2, ''])
    expect(events.stderr).toContain('"toolwire convert stream"')
    const nothing = await toolwire(['diff'], { stdin: '{"a":1}' })
    expect([nothing.code, nothing.stdout]).toEqual([2, ''])
    expect(nothing.stderr).toContain('expected tools, a request or an answer')
  })
})
