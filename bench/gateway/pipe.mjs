/**
 * The floor: a byte pipe on the same HTTP stack as the gateway, `node:http` before and undici's dispatcher behind,
 * with the same settings. It reads nothing of what it passes on. With `--parse` it reads every body and every event
 * with `JSON.parse` and writes it again with `JSON.stringify`, changing nothing and with one write for all that came in
 * one turn: what any converter has to pay.
 */
import { createServer } from 'node:http'
import { Agent } from 'undici'
import { serveAsks } from '../lib/children.mjs'

const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, keepAliveTimeout: 30_000, pipelining: 1 })
const isParsing = process.argv.includes('--parse')
let origin = ''

const rewrite = bytes => JSON.stringify(JSON.parse(bytes))

/** Each event of a chunk read and written anew. Events are whole and in ASCII: this upstream sends nothing else. */
function rewriteEvents(text) {
  let out = ''
  let start = 0
  for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n', start)) {
    const data = text.indexOf('data: ', start) + 6
    const isJson = text.charCodeAt(data) === 123
    out += isJson
      ? `${text.slice(start, data) + rewrite(text.slice(data, end))}\n\n`
      : text.slice(start, end + 2)
    start = end + 2
  }
  return out + text.slice(start)
}

function pass(incoming, outgoing, body) {
  let control
  let isStream = false
  let isHeld = false
  const whole = []
  let waiting = ''
  const write = (controller, chunk, encoding) => {
    if (outgoing.write(chunk, encoding) || isHeld) return
    isHeld = true
    controller.pause()
    outgoing.once('drain', () => {
      isHeld = false
      controller.resume()
    })
  }
  const flush = controller => {
    if (waiting !== '') write(controller, waiting, 'latin1')
    waiting = ''
  }
  outgoing.on('close', () => {
    if (!outgoing.writableFinished) control?.abort(new Error('The client has gone.'))
  })
  agent.dispatch(
    {
      origin,
      path: incoming.url,
      method: incoming.method,
      headers: { 'content-type': 'application/json', accept: incoming.headers.accept ?? '*/*' },
      body: isParsing ? rewrite(body) : body,
    },
    {
      onRequestStart(controller) {
        control = controller
      },
      onResponseStart(_controller, status, headers) {
        const head = { 'content-type': headers['content-type'] }
        isStream = headers['content-length'] === undefined
        if (!isStream) head['content-length'] = headers['content-length']
        outgoing.writeHead(status, head)
      },
      onResponseData(controller, chunk) {
        if (!isParsing) write(controller, chunk)
        else if (!isStream) whole.push(chunk)
        else {
          if (waiting === '') process.nextTick(flush, controller)
          waiting += rewriteEvents(chunk.latin1Slice())
        }
      },
      onResponseEnd() {
        if (!isParsing) outgoing.end()
        else if (isStream) outgoing.end(waiting, 'latin1')
        else outgoing.end(rewrite(Buffer.concat(whole)))
        waiting = ''
      },
      onResponseError: () => outgoing.destroy(),
    },
  )
}

const server = createServer({ keepAliveTimeout: 65_000, noDelay: true }, (incoming, outgoing) => {
  const chunks = []
  incoming.on('data', chunk => chunks.push(chunk))
  incoming.on('end', () => pass(incoming, outgoing, chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
})

serveAsks({
  listen({ upstreamPort }) {
    origin = `http://127.0.0.1:${upstreamPort}`
    return new Promise(resolve =>
      server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port })),
    )
  },
})
