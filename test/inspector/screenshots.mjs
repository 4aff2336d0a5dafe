/**
 * The pictures of `docs/inspector.md` and of the README, taken anew: `node test/inspector/screenshots.mjs` after a build.
 * The demo model answers, so that they need no key and no network.
 */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chromium } from 'playwright-core'
import { chromiumPath } from '../extension/find-chromium.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = `${root}/docs/images`
mkdirSync(folder, { recursive: true })

const gateway = spawn(process.execPath, [
  `${root}/packages/toolwire/bin/toolwire.js`,
  'serve',
  '--demo',
  '--port',
  '0',
  '--store',
  'memory',
  '--json',
])
const url = await new Promise(resolve => gateway.stdout.once('data', line => resolve(JSON.parse(line).url)))

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
await ask('/v1/chat/completions', { model: 'demo', messages: [user] }, 'openai-node/7.53')
await ask('/v1/messages', claude('Monday'), 'claude-cli/2.1')
const looped = await ask('/v1/messages', claude('Tuesday', ...loop), 'claude-cli/2.1')
const lossy = await ask('/v1/responses', codex, 'codex_cli_rs/0.166')
await ask('/v1/responses', { model: 'demo-429', input: 'Will this fail?' }, 'curl/8')
await ask(
  '/v1/chat/completions',
  { model: 'demo-slow', stream: true, messages: [{ role: 'user', content: 'Tell me about gateways' }] },
  'ai-sdk/7',
)

const shots = {
  list: '',
  conversation: `x/${looped}/conversation`,
  wires: `x/${lossy}/wires`,
  raw: `x/${lossy}/raw`,
  timeline: `x/${lossy}/timeline`,
  context: `x/${looped}/context`,
  health: 'health',
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
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme })
  for (const [name, place] of Object.entries(shots)) {
    await page.goto(`${url}/#/${place}`)
    await page.locator('.view, .list .exchange').first().waitFor()
    await page.waitForTimeout(500)
    await page.screenshot({ path: `${folder}/inspector-${name}-${colorScheme}.png` })
  }
  await page.close()
}
await browser.close()
gateway.kill()
