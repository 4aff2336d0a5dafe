import { describe, expect, test } from 'vitest'
import { type Setup, toolwire } from '../memory-io.test-helper.ts'

const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
  })}\n\n`
const text = [
  chunk({ role: 'assistant', content: '' }),
  chunk({ content: 'Grü' }),
  chunk({ content: 'ße' }),
  chunk({}, 'stop'),
  'data: [DONE]\n\n',
]
const call = [
  chunk({
    role: 'assistant',
    tool_calls: [
      { index: 0, id: 'x', type: 'function', function: { name: 'patch', arguments: '{"input":"*** ' } },
    ],
  }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: 'Begin"}' } }] }),
  chunk({}, 'tool_calls'),
  'data: [DONE]\n\n',
]

const bytes = (piece: string): Uint8Array => new TextEncoder().encode(piece)
const stream = (stdin: Setup['stdin'], ...argv: string[]): ReturnType<typeof toolwire> =>
  toolwire(['convert', 'stream', ...argv], { ...(stdin !== undefined && { stdin }) })

const eventsOf = (stdout: string): { type: string; [key: string]: unknown }[] =>
  stdout
    .split('\n')
    .filter(line => line.startsWith('data: {'))
    .map(line => JSON.parse(line.slice('data: '.length)))

describe('convert stream', () => {
  test('"convert stream" converts from the wire it detected, and names it.', async () => {
    const { code, stdout, stderr } = await stream(text.join(''), '--to', 'messages')
    expect([code, stderr]).toEqual([0, 'Read as chat; name another with --from.\n'])
    const events = eventsOf(stdout)
    expect(events[0]?.type).toBe('message_start')
    expect(events.at(-1)?.type).toBe('message_stop')
    const said = events.map(({ delta }) => (delta as { text?: string } | undefined)?.text ?? '').join('')
    expect(said).toBe('Grüße')
  })

  test('"convert stream" writes each event as soon as it can.', async () => {
    const seen: string[] = []
    await stream(
      async function* (printed) {
        for (const piece of text) {
          yield bytes(piece)
          seen.push(printed.stdout)
        }
      },
      '--from',
      'chat',
      '--to',
      'messages',
    )
    expect(seen[1]).toContain('Grü')
    expect(seen[1]).not.toContain('ße')
    expect(seen[2]).toContain('"ße"')
    expect(seen[2]).not.toContain('message_stop')
  })

  test('"convert stream" writes the same for every cut of the bytes, with and without --from.', async () => {
    const whole = await stream(text.join(''), '--from', 'chat', '--to', 'messages')
    const all = bytes(text.join(''))
    const ofId = /"id":"[^"]*"/g
    for (const from of [[], ['--from', 'chat']]) {
      const cut = await stream(
        async function* () {
          for (const byte of all) yield Uint8Array.of(byte)
        },
        ...from,
        '--to',
        'messages',
      )
      expect(cut.code).toBe(0)
      expect(cut.stdout.replace(ofId, '')).toBe(whole.stdout.replace(ofId, ''))
    }
  })

  test('"convert stream" reads a file.', async () => {
    const files = { 'a.sse': text.join('') }
    const { code, stdout } = await toolwire(['convert', 'stream', '--to', 'responses', 'a.sse'], { files })
    expect(code).toBe(0)
    expect(eventsOf(stdout).at(-1)).toMatchObject({ type: 'response.completed' })
  })

  test('With --request, a stream has the tools as the client declared them.', async () => {
    const asked = { input: 'Hi', tools: [{ type: 'custom', name: 'patch' }] }
    const run = (...argv: string[]) =>
      toolwire(['convert', 'stream', '--to', 'responses', ...argv], {
        stdin: call.join(''),
        files: { 'r.json': JSON.stringify(asked) },
      })
    const done = async (...argv: string[]) =>
      eventsOf((await run(...argv)).stdout).find(({ type }) => type === 'response.output_item.done')?.item
    expect(await done()).toMatchObject({ type: 'function_call', arguments: '{"input":"*** Begin"}' })
    expect(await done('--request', 'r.json')).toMatchObject({ type: 'custom_tool_call', input: '*** Begin' })
  })

  test.each(['chat', 'responses', 'messages'])(
    'A stream that fails on %s ends with exit code 1 and the reason.',
    async to => {
      const { code, stdout, stderr } = await stream(
        `${text[0]}${text[1]}data: {"error":{"message":"overheated\\u001b"}}\n\n`,
        '--from',
        'chat',
        '--to',
        to,
      )
      expect(code).toBe(1)
      expect(stdout).toContain('Grü')
      expect(stdout).toContain('overheated')
      expect(stderr).toContain('error: The stream failed: overheated\\u001b\n')
    },
  )

  test('A stream without its terminal event counts as failed.', async () => {
    const { code, stdout, stderr } = await stream(text.slice(0, 2).join(''), '--to', 'messages')
    expect(code).toBe(1)
    expect(eventsOf(stdout).at(-1)?.type).toBe('error')
    expect(stderr).toContain('The stream failed: ')
    const empty = await stream('', '--from', 'chat', '--to', 'messages')
    expect(empty.code).toBe(1)
  })

  test("When the source breaks, the client's stream ends with an error and the exit code is 2.", async () => {
    const { code, stdout, stderr } = await stream(
      async function* () {
        yield bytes(text.slice(0, 2).join(''))
        throw Object.assign(new Error('connection lost'), { code: 'EIO' })
      },
      '--to',
      'messages',
    )
    expect(code).toBe(2)
    expect(eventsOf(stdout).at(-1)?.type).toBe('error')
    expect(stderr).toContain('error: <stdin>: connection lost\n')
  })

  test.each([
    ['', 'error: <stdin>: The input is empty.'],
    [': ping\n\n', 'The stream does not show which wire it is written for.'],
    ['{"error":{"message":"no"}}', 'This is JSON'],
  ])('The wire of %j is not guessed.', async (stdin, message) => {
    const { code, stdout, stderr } = await stream(stdin, '--to', 'chat')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(message)
  })

  test('"convert stream" reports losses, and exits with 1 with --strict.', async () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: null, top_logprobs: [] }] }
    const lossy = text
      .join('')
      .replace('"finish_reason":null', `"finish_reason":null,"logprobs":${JSON.stringify(logprobs)}`)
    const plain = await stream(lossy, '--to', 'messages')
    expect(plain.code).toBe(0)
    expect(plain.stderr).toMatch(/^ {2}warning /m)
    expect(plain.stderr).toContain('Ask "toolwire explain <code>"')
    expect((await stream(lossy, '--to', 'messages', '--strict')).code).toBe(1)
  })
})
