import { describe, expect, test } from 'vitest'
import { displayWidth } from '../../terminal/display-width.ts'
import { type Setup, toolwire } from '../memory-io.test-helper.ts'
import { barOf } from './view.ts'

const request = {
  model: 'gpt-5.4',
  instructions: 'Be brief.',
  input: [
    { role: 'user', content: 'How is the weather in Rome?' },
    { type: 'function_call', call_id: 'a', name: 'get_weather', arguments: '{"city":"Rome"}' },
    { type: 'function_call_output', call_id: 'a', output: 'Sunny, 24 degrees, light wind from the west.' },
  ],
  tools: [
    {
      type: 'function',
      name: 'get_weather',
      description: 'Tells the weather of a city',
      parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
}
const terminal = (columns: number, env: Record<string, string> = {}): Setup => ({
  isTTY: true,
  columns,
  env: { NO_COLOR: '1', LANG: 'en_US.UTF-8', ...env },
})
const tokens = (value: unknown, setup: Setup = {}, ...argv: string[]) =>
  toolwire(['tokens', ...argv], {
    stdin: typeof value === 'string' ? value : JSON.stringify(value),
    ...setup,
  })

describe('tokens', () => {
  test('"tokens" shows what each part costs, the largest first, with sums and method.', async () => {
    const { code, stdout, stderr } = await tokens(request, terminal(90))
    expect([code, stderr]).toEqual([0, 'Read as responses; name another with --wire.\n'])
    expect(`\n${stdout}`).toMatchInlineSnapshot(`
      "
      about 88 tokens, $0.00022 as input on responses for gpt-5.4

          23  26.1%  ██████████████████████  get_weather  tools[0]
          18  20.5%  █████████████████▎      result of get_weather  input[2]
          14  15.9%  █████████████▍          calls get_weather  input[1]
          12  13.6%  ███████████▌            around the tools
          11  12.5%  ██████████▌             user  input[0]
           7   8.0%  ██████▊                 instructions  instructions
           3   3.4%  ██▉                     the beginning of the answer

      tools 23 (26.1%), conversation 50 (56.8%), around them 15 (17.0%)

      Method: o200k_base, with message frames and tools written as types.
      Exact for text in o200k_base; each unbroken run over 512 characters is cut, at up to one
      token a cut. What stands around the texts gives the 26 counts published for gpt-3.5, gpt-4
      and gpt-4o; newer models and the Responses wire are assumed to do the same.
      Price: $2.5 for a million (developers.openai.com/api/docs/models, 2026-04).
      "
    `)
  })

  test.each([60, 80, 140])('"tokens" fits a terminal of %i columns.', async columns => {
    const long = { ...request.tools[0], name: `get_${'x'.repeat(200)}` }
    const { stdout } = await tokens({ ...request, tools: [long] }, terminal(columns))
    const rows = stdout.split('\n').filter(line => line.includes('%  '))
    expect(rows.length).toBeGreaterThan(4)
    for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
  })

  test('"tokens" draws bars in ASCII where the terminal is not UTF-8.', async () => {
    const { stdout } = await tokens(request, terminal(90, { LANG: 'C' }))
    expect(stdout).toContain('########')
    expect(stdout).not.toMatch(/[█▏▎▍▌▋▊▉]/)
  })

  test('The flag --top shows fewer rows and sums up the rest; 0 shows all.', async () => {
    const some = await tokens(request, {}, '--top', '2')
    expect(some.stdout).toMatch(/\n +\d+ +[\d.]+% +5 more; --top 0 shows all\n/)
    expect((await tokens(request, {}, '--top', '0')).stdout).not.toContain('more;')
    expect(await tokens(request, {}, '--top', 'few')).toMatchObject({ code: 2 })
  })

  test('The flag --sort order keeps the order of the request.', async () => {
    const { stdout } = await tokens(request, {}, '--sort', 'order', '--json')
    expect(JSON.parse(stdout).parts.map(({ label }: { label: string }) => label)).toEqual([
      'instructions',
      'user',
      'calls get_weather',
      'result of get_weather',
      'get_weather',
      'around the tools',
      'the beginning of the answer',
    ])
  })

  test('"tokens --json" writes the count, and nothing to stderr.', async () => {
    const { stdout, stderr } = await tokens(request, {}, '--json')
    const result = JSON.parse(stdout)
    expect(stderr).toBe('')
    expect(result).toMatchObject({ wire: 'responses', model: 'gpt-5.4', uncounted: [], diagnostics: [] })
    expect(result.parts.reduce((sum: number, part: { tokens: number }) => sum + part.tokens, 0)).toBe(
      result.total,
    )
  })

  test('"tokens" counts a bare list of tools, with paths into that list.', async () => {
    const { stdout } = await tokens(request.tools, {}, '--model', 'gpt-4o')
    expect(stdout).toContain('get_weather  tools[0]')
    const { parts } = JSON.parse((await tokens(request.tools, {}, '--json')).stdout)
    expect(parts.find(({ kind }: { kind: string }) => kind === 'tool').path).toEqual([0])
  })

  test('"tokens" names the tokenizer it used, and why.', async () => {
    const { model: _, ...unnamed } = request
    expect((await tokens(unnamed)).stderr).toContain('Counted in o200k_base, as no model is named')
    const claude = await tokens(request, {}, '-w', 'responses', '-m', 'claude-opus-5')
    expect(claude.stderr).toBe('There is no public tokenizer for claude-opus-5; this is an estimate.\n')
    expect(claude.stdout).toContain('No tokenizer of Claude is public.')
    const old = JSON.parse((await tokens(request, {}, '-e', 'cl100k_base', '--json')).stdout)
    expect(old.method).toMatch(/^cl100k_base/)
    const rough = JSON.parse((await tokens(request, {}, '-e', 'estimate', '--json')).stdout)
    expect(rough.errorBound.percent).toBe(15)
  })

  test('"tokens" lists what it could not count, up to a limit.', async () => {
    const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'auto' }
    const body = {
      model: 'gpt-4o',
      input: [{ role: 'user', content: Array.from({ length: 7 }, () => image) }],
    }
    const { stdout } = await tokens(body)
    expect(stdout).toContain('\n  input[0].content[4]: an image of unknown size')
    expect(stdout).toContain('\n  2 others, which --json lists\n')
  })

  test('"tokens" reports what is wrong in the body.', async () => {
    const { code, stderr } = await tokens({ ...request, tools: 'none' })
    expect(code).toBe(0)
    expect(stderr).toContain('not_a_list')
  })

  test.each([
    [{ choices: [] }, 'this is an answer; it tells its tokens under "usage". Give the request.'],
    ['event: ping\n\n', 'A stream has no tokens to count.'],
    [7, 'expected a request body, or a list of tools.'],
    [[{}], 'The input does not show which wire it is written for.'],
  ])('The input %j is refused with a reason.', async (value, reason) => {
    const { code, stdout, stderr } = await tokens(value)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(reason)
  })

  test('"tokens" takes one file.', async () => {
    expect(await toolwire(['tokens', 'a', 'b'])).toMatchObject({ code: 2 })
    const { stdout } = await toolwire(['tokens', 'r.json'], { files: { 'r.json': JSON.stringify(request) } })
    expect(stdout).toContain('get_weather')
  })

  test('"tokens" escapes names that would disturb the terminal.', async () => {
    const { stdout } = await tokens({
      ...request,
      model: 'gpt-4o\u001b[2J',
      tools: [{ ...request.tools[0], name: 'x\u001b[31m' }],
    })
    expect(stdout).not.toContain('\u001b')
  })
})

describe('a bar', () => {
  test.each([
    [1, '████'],
    [0.5, '██  '],
    [0.28125, '█▏  '],
    [0.0001, '▏   '],
    [0, '    '],
  ])('The bar of %d is %j.', (share, bar) => {
    expect(barOf(share, 4, true)).toBe(bar)
    expect(barOf(share, 4, false)).toHaveLength(4)
  })
})
