/** `lint --mcp` against programs that speak MCP over their standard input and output. */
import process from 'node:process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createPrograms, gone, type Programs } from '../../../mcp/programs.test-helper.ts'
import { exitCodes } from '../../exit-codes.ts'
import { toolwire } from '../../memory-io.test-helper.ts'

let programs: Programs
let program: string
beforeAll(async () => {
  programs = createPrograms()
  program = await programs.make('stdio-program.test-helper.ts', 'serve')
})
afterAll(() => programs.remove())

const lint = (mode: string) =>
  toolwire(['lint', '--json', '--mcp', `"${process.execPath}" '${program}' ${mode}`], {})

test('The tools of a server are judged for every wire under their own names, and the server ends.', async () => {
  const { code, stdout, stderr } = await lint('paged')
  const [{ wire, targets, findings }] = JSON.parse(stdout).files
  expect([code, wire, targets]).toEqual([exitCodes.findings, 'mcp', ['chat', 'responses', 'messages']])
  // All but the first of its thirteen tools say nothing of what they do, nor list properties, which OpenAI demands.
  expect(findings.map(({ code }: { code: string }) => code)).toEqual(
    Array(12).fill(['description_advised', 'missing_properties']).flat(),
  )
  for (const pid of /pids (.*)/.exec(stderr)?.[1]?.split(' ') ?? []) await gone(Number(pid))
})

test('A server that does not start is an upstream that cannot be reached, with its last words.', async () => {
  const { code, stderr } = await lint('broken')
  expect(code).toBe(exitCodes.upstream)
  expect(stderr).toContain('No licence found.')
})
