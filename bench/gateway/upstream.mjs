/**
 * The instant upstream: a raw socket server that speaks all three wires from bytes it has made beforehand. The path
 * of a request says the wire, its body whether a stream is wanted, and `set` how streams are given.
 */
import { createServer } from 'node:net'
import { serveAsks } from '../lib/children.mjs'
import { createHttpReader } from '../lib/http-reader.mjs'
import { wireNames, wires } from '../work/wires.mjs'

const streamFlag = '"stream":true'
/** Made by `set`: for each wire the whole answer and the packets of its stream. */
let prepared = {}
/** `burst` and `paced` differ in how many events a packet holds; `idle` gives the first event and then nothing. */
let mode = 'burst'
let delayMs = 0
let isCapturing = false
let captured

const eventHead =
  'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncache-control: no-cache\r\ntransfer-encoding: chunked\r\n\r\n'

const jsonAnswer = text =>
  Buffer.from(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )

const asChunk = bytes =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const models = jsonAnswer(
  JSON.stringify({ object: 'list', data: [{ id: 'bench-model', object: 'model', owned_by: 'bench' }] }),
)
const unknown = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')

function inPackets(chunks, each) {
  const out = []
  for (let i = 0; i < chunks.length; i += each) out.push(Buffer.concat(chunks.slice(i, i + each)))
  return out
}

/** Without regard to events or letters. */
function slices(bytes, length) {
  const out = []
  for (let at = 0; at < bytes.length; at += length) out.push(bytes.subarray(at, at + length))
  return out
}

function prepare({ answer, cuts, packet, slice }) {
  const out = {}
  for (const wire of wireNames) {
    const events = wires[wire].stream(answer, 'bench-model', cuts)
    // Servers flush every event, so each is a chunk of its own, whoever shares its packet.
    const chunks =
      slice === undefined
        ? events.map(event => Buffer.from(event))
        : slices(Buffer.from(events.join('')), slice)
    const parts = inPackets(chunks.map(asChunk), packet)
    parts[0] = Buffer.concat([Buffer.from(eventHead), parts[0]])
    parts.push(Buffer.from('0\r\n\r\n'))
    out[wire] = {
      whole: jsonAnswer(JSON.stringify(wires[wire].answer(answer, 'bench-model'))),
      parts,
      first: Buffer.concat([Buffer.from(eventHead), asChunk(Buffer.from(events[0]))]),
      events: events.length,
    }
  }
  return out
}

/** One packet a turn of the event loop, so that they leave as packets of their own. */
function giveStream(socket, parts) {
  let i = 0
  const step = () => {
    if (socket.destroyed) return
    // The end mark goes with the last packet, as servers do it.
    if (i >= parts.length - 2) {
      socket.cork()
      for (; i < parts.length; i++) socket.write(parts[i])
      socket.uncork()
      return
    }
    if (socket.write(parts[i++])) setImmediate(step)
    else socket.once('drain', step)
  }
  step()
}

function answer(socket, head, body) {
  const [method, target = ''] = head.split(' ', 2)
  const path = target.split('?')[0]
  const wire = wireNames.find(name => path.endsWith(wires[name].path))
  if (method === 'GET' && path.endsWith('/models')) return socket.write(models)
  if (wire === undefined) return socket.write(unknown)
  const text = isCapturing ? body.map(String).join('') : undefined
  if (text !== undefined) captured = { wire, body: text, head }
  const { whole, parts, first } = prepared[wire]
  const isStreamed = (body.length === 1 ? body[0] : Buffer.concat(body)).includes(streamFlag)
  if (!isStreamed) socket.write(whole)
  else if (mode === 'idle') socket.write(first)
  else giveStream(socket, parts)
}

const server = createServer({ noDelay: true }, socket => {
  let head = ''
  let body = []
  const reader = createHttpReader(
    {
      onHead(given) {
        head = given
        body = []
      },
      onBody: chunk => body.push(chunk),
      onEnd() {
        if (delayMs === 0) return answer(socket, head, body)
        const [givenHead, givenBody] = [head, body]
        setTimeout(() => answer(socket, givenHead, givenBody), delayMs)
      },
    },
    { hasBody: false },
  )
  socket.on('data', chunk => reader.push(chunk))
  socket.on('error', () => socket.destroy())
})

serveAsks({
  listen: () =>
    new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve({ port: server.address().port }))),
  /** Tells how many events a stream has on each wire. */
  set(given) {
    prepared = prepare(given)
    mode = given.mode ?? 'burst'
    delayMs = given.delayMs ?? 0
    isCapturing = given.capture === true
    captured = undefined
    return Object.fromEntries(wireNames.map(wire => [wire, prepared[wire].events]))
  },
  captured: () => captured,
})
