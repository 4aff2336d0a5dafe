/** Tools of MCP servers, from the configuration file to a model's call. */
import { createMcpHandler } from '@modelcontextprotocol/server'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listenWith } from '../../mcp/http-server.test-helper.ts'
import type { Programs } from '../../mcp/programs.test-helper.ts'
import { createPrograms } from '../../mcp/programs.test-helper.ts'
import { createSampleServer } from '../../mcp/sample-server.test-helper.ts'
import { doctor } from '../doctor/doctor.ts'
import { argumentsOf, createStage } from './environment.test-helper.ts'
import { serve } from './serve.ts'

let programs: Programs
let files: Record<string, string>

beforeAll(async () => {
  programs = createPrograms()
  const program = await programs.make('stdio-program.test-helper.ts', 'serve')
  const mcpServers = {
    sample: { command: process.execPath, args: [program] },
    broken: { command: '/no/such/program' },
  }
  files = { 'toolwire.config.json': JSON.stringify({ mcpServers, store: { kind: 'none' } }) }
}, 60_000)

afterAll(() => programs.remove())

test('The gateway offers and runs the tools of MCP servers, and reports a server that fails.', {
  timeout: 30_000,
}, async () => {
  const { io, world, printed, until, signal } = createStage({ files })
  const code = serve(argumentsOf('serve', ['--port', '0']), io, world)
  await until('# Anthropic Messages')
  expect(printed.stderr).toContain('warning: MCP server broken: ')
  expect(printed.stdout).toMatch(/Tools {6}\d+ tools run by the gateway/)
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed.stdout)?.[0]
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', input: 'Use sum: adds numbers 20 and 22' }),
  })
  const { output } = (await response.json()) as { output: object[] }
  expect(output).toContainEqual(
    expect.objectContaining({ type: 'mcp_call', name: 'sum', server_label: 'sample' }),
  )
  signal()
  expect(await code).toBe(0)
})

test('The tools of an MCP server appear when it does, and both its absence and its arrival are logged.', {
  timeout: 30_000,
}, async () => {
  const http = await listenWith(() => new Response('Not yet.', { status: 503 }))
  const config = JSON.stringify({ mcpServers: { late: { url: http.url } }, store: { kind: 'none' } })
  const stage = createStage({ files: { 'toolwire.config.json': config } })
  const { io, world, printed, until, signal, later } = stage
  const code = serve(argumentsOf('serve', ['--port', '0']), io, world)
  await until('# Anthropic Messages')
  expect(printed.stderr).toMatch(
    /warning: MCP server late: It cannot be reached .* It is looked for again\.\n/,
  )
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(printed.stdout)?.[0]
  const ask = async (): Promise<string> => {
    const response = await fetch(`${url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', input: 'Use sum: adds numbers 20 and 22' }),
    })
    return response.text()
  }
  expect(await ask()).not.toContain('mcp_call')
  http.answerWith(createMcpHandler(() => createSampleServer('late')).fetch)
  expect(later.size).toBe(1)
  for (const callback of later) callback()
  await until('MCP server late: It is there now and offers 13 tools.')
  expect(await ask()).toContain('"type":"mcp_call"')
  signal()
  expect(await code).toBe(0)
  await http.close()
})

test('The doctor checks MCP servers.', { timeout: 30_000 }, async () => {
  const { io, world, printed } = createStage({ files })
  const { processDoctorEnvironment } = await import('../doctor/doctor.ts')
  const tryPort = async (): Promise<void> => {}
  const code = await doctor(argumentsOf('doctor', []), io, { ...processDoctorEnvironment, ...world, tryPort })
  expect(code).toBe(1)
  expect(printed.stdout).toMatch(/✓ mcp sample {5}Offers \d+ tools\./)
  expect(printed.stdout).toContain('✗ mcp broken')
})
