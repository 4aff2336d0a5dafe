/**
 * The pictures of `docs/inspector.md` and of the README, taken anew: `node test/inspector/screenshots.mjs` after a build.
 * The demo model answers, so that they need no key and no network.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { chromiumPath } from '../extension/find-chromium.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Another folder, and other widths, for whoever wants to look at everything. */
const [folder = `${root}/docs/images`, ...widths] = process.argv.slice(2)
mkdirSync(folder, { recursive: true })

const command = `${root}/packages/toolwire/bin/toolwire.js`
const processes = []
const serve = (...args) =>
  new Promise(resolve => {
    const gateway = spawn(process.execPath, [
      command,
      'serve',
      '--port',
      '0',
      '--store',
      'memory',
      '--json',
      ...args,
    ])
    processes.push(gateway)
    gateway.stdout.once('data', line => resolve(JSON.parse(line).url))
  })

/** The demo model stands behind two upstreams, of which the first fails for one model, and answers after a while. */
const model = await serve('--demo')
const busy = createServer(async (incoming, outgoing) => {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  await new Promise(resolve => setTimeout(resolve, 60))
  if (body.includes('"qwen3-coder"')) {
    outgoing.writeHead(503, { 'content-type': 'application/json' }).end('{"error":{"message":"overloaded"}}')
    return
  }
  const headers = { 'content-type': 'application/json' }
  const post = incoming.method === 'POST' ? { method: 'POST', body } : {}
  const answer = await fetch(model + incoming.url, { headers, ...post })
  outgoing.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' })
  for await (const chunk of answer.body ?? []) {
    outgoing.write(chunk)
    await new Promise(resolve => setTimeout(resolve, 8))
  }
  outgoing.end()
})
await new Promise(resolve => busy.listen(0, '127.0.0.1', resolve))
const config = join(mkdtempSync(join(tmpdir(), 'toolwire-pictures-')), 'toolwire.config.mjs')
const rates = { input: 3, output: 15, cacheRead: 0.3 }
writeFileSync(
  config,
  `export default {
  upstreams: [
    { name: 'cluster', wire: 'chat', baseUrl: 'http://127.0.0.1:${busy.address().port}/v1', models: ['*'], order: 1 },
    { name: 'backup', wire: 'chat', baseUrl: '${model}/v1', models: ['*'], order: 2 },
  ],
  prices: ['claude*', 'gpt*', 'qwen*', 'demo*'].map(model => ({ model, ...${JSON.stringify(rates)} })),
  tools: [{
    name: 'get_weather',
    description: 'Current weather for a city',
    parameters: { type: 'object', properties: { city: { type: 'string', description: 'Its name' },
      unit: { enum: ['celsius', 'fahrenheit'] }, days: { type: 'integer', minimum: 1, maximum: 7 } }, required: ['city'] },
    handler: ({ city }) => new Promise(resolve => setTimeout(() => resolve(city + ': 12 °C, clear'), 20 * String(city).length)),
  }],
}
`,
)
const url = await serve('--config', config)

async function ask(path, body, agent) {
  const headers = { 'content-type': 'application/json', 'user-agent': agent }
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.text()
  return response.headers.get('x-request-id')
}

const instructions = 'You are a careful engineer. Read before you write, and run the tests. '.repeat(30)
const readFile = {
  name: 'read_file',
  description: 'Read a file of the project',
  input_schema: { type: 'object', properties: { path: { type: 'string' } } },
}
const user = { role: 'user', content: 'Use the tool read_file on README.md and say what this project is' }
const claude = (date, ...more) => ({
  model: 'claude-sonnet-4-6',
  max_tokens: 500,
  stream: true,
  system: `${instructions}Today is ${date}.`,
  tools: [readFile],
  messages: [user, ...more],
  metadata: { user_id: 'user_1_session_5d0c3f5e-1111-4222-8333-444455556666' },
})
const loop = [
  {
    role: 'assistant',
    content: [{ type: 'tool_use', id: 'toolu_1', name: 'read_file', input: { path: 'README.md' } }],
  },
  {
    role: 'user',
    content: [
      {
        type: 'tool_result',
        tool_use_id: 'toolu_1',
        content: '# Toolwire\n\nA gateway between agents and models: each wire to each.',
      },
    ],
  },
]
const codex = {
  model: 'gpt-5',
  stream: true,
  instructions: 'You are Codex, a coding agent.',
  reasoning: { effort: 'high', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
  truncation: 'auto',
  tools: [
    { type: 'web_search', search_context_size: 'low' },
    {
      type: 'custom',
      name: 'apply_patch',
      description: 'Edit files',
      format: { type: 'grammar', syntax: 'lark', definition: 'start: /.+/' },
    },
    {
      type: 'function',
      name: 'exec_command',
      description: 'Run a command',
      strict: false,
      parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
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
const say = content => ({ role: 'user', content })
await ask('/v1/chat/completions', { model: 'demo', messages: [user] }, 'openai-node/7.53')
await ask('/v1/messages', claude('Monday'), 'claude-cli/2.1')
const looped = await ask('/v1/messages', claude('Tuesday', ...loop), 'claude-cli/2.1')
const lossy = await ask('/v1/responses', codex, 'codex_cli_rs/0.166')
await ask('/v1/responses', { model: 'demo-429', input: 'Will this fail?' }, 'curl/8')
const weather = say('Weather in Oslo, New York and Rome')
const rounds = await ask(
  '/v1/chat/completions',
  { model: 'qwen3-coder', stream: true, messages: [weather] },
  'ai-sdk/7',
)
const slow = ask(
  '/v1/chat/completions',
  { model: 'demo-slow', stream: true, messages: [say('Tell me about gateways')] },
  'opencode/1.2',
)

const shots = {
  conversation: `x/${looped}/conversation`,
  wires: `x/${lossy}/wires`,
  raw: `x/${lossy}/raw`,
  timeline: `x/${rounds}/timeline`,
  context: `x/${looped}/context`,
  list: '',
  health: 'health',
  ...(widths.length > 0 && {
    tools: `x/${rounds}/conversation`,
    compare: `compare/${looped}/${lossy}`,
    playground: 'playground',
    edit: `playground/${lossy}`,
    absent: 'x/req_none/conversation',
  }),
}
const browser = await chromium.launch({
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
for (const colorScheme of ['light', 'dark']) {
  for (const width of widths.length > 0 ? widths.map(Number) : [1280]) {
    const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme })
    for (const [name, place] of Object.entries(shots)) {
      await page.goto(`${url}/#/${place}`)
      await page.locator('.view:visible, .exchange:visible, .empty:visible').first().waitFor()
      await page.waitForTimeout(500)
      const size = widths.length > 0 ? `-${width}` : ''
      await page.screenshot({ path: `${folder}/inspector-${name}-${colorScheme}${size}.png` })
    }
    await page.close()
  }
}
await slow
await browser.close()
busy.close()
for (const each of processes) each.kill()
