/**
 * Records the picture of the README: `npm run picture`, on a machine with `script` and with Claude Code on the PATH or in
 * the cache of `npm run check:agents`. The commands are run in a terminal as they are shown. Only the model is not one: a
 * scripted server at the port of Ollama makes the agent read a file and write another, and says what it used.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { calls, createScriptedModel, says } from '@toolwire/core/testing'
import { pictureOf } from './terminal-picture.mjs'

const columns = 104
const folder = mkdtempSync(join(tmpdir(), 'picture-'))
const command = fileURLToPath(new URL('../../packages/toolwire/bin/toolwire.js', import.meta.url))
const cache = join(homedir(), '.cache/toolwire-agents')
const agents = existsSync(cache) ? readdirSync(cache).map(name => join(cache, name, 'node_modules/.bin')) : []

const usage = { input: 18_240, output: 96 }
const model = createScriptedModel({
  wire: 'chat',
  script({ toolNames, results }) {
    if (!toolNames.includes('Read')) return { ...says('Hello.'), usage: { input: 31, output: 2 } }
    if (results.length === 0)
      return { ...calls({ name: 'Read', arguments: { file_path: join(folder, 'notes.txt') } }), usage }
    if (results.length === 1) {
      const content = 'Buy milk. Call Ada.\n'
      return {
        ...calls({ name: 'Write', arguments: { file_path: join(folder, 'todo.txt'), content } }),
        usage,
      }
    }
    return { ...says('I read notes.txt and wrote its two tasks to todo.txt.'), usage }
  },
})
const server = createServer(async (incoming, outgoing) => {
  const chunks = []
  for await (const chunk of incoming) chunks.push(chunk)
  if (incoming.url.endsWith('/models')) return outgoing.end('{"object":"list","data":[{"id":"qwen3:8b"}]}')
  const body = Buffer.concat(chunks).toString()
  const answer = await model.fetch(`http://model.invalid${incoming.url}`, { method: 'POST', body })
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const chunk of answer.body ?? []) outgoing.write(chunk)
  outgoing.end()
})

const shown = [
  ['toolwire claude -w 65536 -- -p "Put the tasks of notes.txt into todo.txt" --allowedTools Read,Write'],
  ['cat todo.txt'],
  ['toolwire serve --upstream chat=http://127.0.0.1:11434/v1 --store memory', /quit/, askOnce],
]

writeFileSync(join(folder, 'notes.txt'), 'Notes of Monday: buy milk, and call Ada.\n')
await new Promise(resolve => server.listen(11_434, '127.0.0.1', resolve))
await startBefore()
const pieces = []
for (const [line, until, then] of shown) {
  pieces.push({ text: `\u001b[1m\u001b[32m$\u001b[39m ${line}\u001b[22m\n` })
  await run(line, until, then)
  pieces.push({ text: '\n' })
}
server.closeAllConnections()
server.close()
rmSync(folder, { recursive: true, force: true })
writeFileSync(new URL('terminal.svg', import.meta.url), pictureOf(pieces, columns))

/** Only at the first start are there requests to paste, which are long. */
function startBefore() {
  const args = [command, 'serve', '--demo', '--quiet', '--port', '0', '--store', 'memory']
  const child = spawn(process.execPath, args, { env: { HOME: folder, PATH: process.env.PATH } })
  child.stdout.once('data', () => child.kill('SIGTERM'))
  return new Promise(resolve => child.on('close', resolve))
}

/** In a terminal of its own, as `script` makes one; with `until`, it is ended once `then` is done. */
function run(line, until, then) {
  const words = line.replace(/^toolwire/, `'${process.execPath}' '${command}'`)
  const child = spawn('script', ['-qfec', `stty cols ${columns} rows 40; ${words}`, '/dev/null'], {
    cwd: folder,
    env: {
      PATH: [...agents, process.env.PATH].join(delimiter),
      HOME: folder,
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    },
  })
  let all = ''
  child.stdout.setEncoding('utf8').on('data', async text => {
    pieces.push({ text: text.replaceAll(folder, '~') })
    const wasThere = until?.test(all)
    all += text
    if (until === undefined || wasThere || !until.test(all)) return
    await then(all)
    child.stdin.write('q')
  })
  return new Promise(resolve => child.on('close', resolve))
}

/** A client of another wire than the server's. */
async function askOnce(printed) {
  const [url] = /http:\/\/127\.0\.0\.1:\d+(?=\/v1)/.exec(printed)
  await new Promise(resolve => setTimeout(resolve, 300))
  const body = { model: 'qwen3:8b', input: 'Hello', tools: [{ type: 'web_search' }] }
  await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await new Promise(resolve => setTimeout(resolve, 300))
}
