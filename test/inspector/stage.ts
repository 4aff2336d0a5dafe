/** A real gateway with the demo model and the built page, and a real Chromium that looks at it. */
import { readFileSync } from 'node:fs'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createDemoModel } from '../../packages/toolwire/src/demo/demo-model.ts'
import { createGateway, type Gateway } from '../../packages/toolwire/src/gateway/create-gateway.ts'
import { createNodeServer } from '../../packages/toolwire/src/gateway/http/node-server.ts'
import type { GatewayOptions } from '../../packages/toolwire/src/gateway/settings.ts'
import {
  createTraceRing,
  type TraceRing,
  type TraceRingOptions,
} from '../../packages/toolwire/src/telemetry/traces/trace-ring.ts'
import { chromiumPath } from '../extension/find-chromium.mjs'
import { close, listen } from '../support/gateway/upstream.ts'
import { root } from '../support/house/source.ts'

export interface Served {
  readonly url: string
  readonly gateway: Gateway
  readonly ring: TraceRing
  close(): Promise<void>
}

export async function serveInspector(
  options: Partial<GatewayOptions> = {},
  ringOptions: TraceRingOptions = {},
): Promise<Served> {
  const ring = createTraceRing({
    entries: 20_000,
    bytes: 512 * 1024 * 1024,
    viewBytes: 16 * 1024 * 1024,
    ...ringOptions,
  })
  const { transport, models } = createDemoModel()
  const gateway = createGateway({
    upstreams: [
      { name: 'demo', wire: 'chat', baseUrl: 'http://demo.invalid/v1', models: [...models, '*'], transport },
    ],
    traces: ring,
    observer: ring,
    version: '0.0.0-test',
    inspector: {
      readFile: name => readFileSync(`${root}packages/toolwire/dist/inspector/${name}`),
      about: () => ({ config: { keys: ['***'] } }),
    },
    ...options,
  })
  const server = createNodeServer(gateway)
  const url = await listen(server)
  return {
    url,
    gateway,
    ring,
    async close() {
      server.closeAllConnections()
      await close(server)
      await gateway.close()
    },
  }
}

export function launch(): Promise<Browser> {
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A page that remembers what went wrong in it. */
export async function openPage(
  browser: Browser,
  scheme: 'light' | 'dark' = 'light',
): Promise<Page & { readonly errors: string[] }> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: scheme })
  const errors: string[] = []
  page.on('pageerror', error => errors.push(error.message))
  page.on('console', message => {
    if (message.type() === 'error') errors.push(message.text())
  })
  return Object.assign(page, { errors })
}

export async function ask(
  url: string,
  path: string,
  body: object,
  headers: Record<string, string> = {},
): Promise<string> {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  await response.text()
  return response.headers.get('x-request-id') ?? ''
}

/** A request as Codex sends it, of which Chat cannot carry everything. */
export const codexRequest = {
  model: 'gpt-5',
  stream: true,
  instructions: 'You are Codex.',
  reasoning: { effort: 'high', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  truncation: 'auto',
  tools: [
    {
      type: 'function',
      name: 'exec_command',
      description: 'Run a command',
      strict: false,
      parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
    },
    { type: 'web_search', search_context_size: 'low' },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edit files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
    },
  ],
  input: [
    {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Run the tests with exec_command' }],
    },
  ],
}
