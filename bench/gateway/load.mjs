/**
 * The load generator: raw sockets, each with one request under way at a time. Every answer is checked for its status
 * and its end, and one in so many is read whole and compared with what the upstream said.
 */
import { createConnection } from 'node:net'
import { serveAsks } from '../lib/children.mjs'
import { createHttpReader } from '../lib/http-reader.mjs'
import { cpuMs } from '../lib/process-usage.mjs'
import { quantile } from '../lib/stats.mjs'
import { checkAnswer, hasEnd } from './check-answer.mjs'

const readWholeEvery = 64

function requestBytes({ path, headers = {}, body }, port) {
  const bytes = Buffer.from(body)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n${lines.join('')}\r\n`
  return Buffer.concat([Buffer.from(head), bytes])
}

/** One connection that asks again and again until told to stop. */
function openLane({ port, bytes, wire, stream, answer }, tally) {
  let socket
  let reader
  let opened = 0
  let started = 0
  let firstByteAt = 0
  let status = ''
  let readsWhole = false
  /** @type {Buffer[]} */
  let body = []
  let stopped = false
  /** A connection may have to wait until it is accepted, and its first answer with it. */
  let isAccepted = false

  const send = () => {
    started = performance.now()
    firstByteAt = 0
    body = []
    readsWhole = tally.asked++ % readWholeEvery === 0
    socket.write(bytes)
  }
  const onEnd = () => {
    const now = performance.now()
    tally.answered++
    if (!isAccepted) tally.accepts.push(now - opened)
    else if (!stopped && tally.isOpen) {
      tally.latencies.push(now - started)
      tally.firstBytes.push(firstByteAt - started)
    }
    isAccepted = true
    if (!status.startsWith('HTTP/1.1 200')) tally.wrong(`answered ${status.slice(0, 40)}`)
    else if (stream && !hasEnd(wire, body)) tally.wrong('a stream without its end')
    else if (readsWhole) {
      const fault = checkAnswer(wire, stream, Buffer.concat(body).toString(), answer)
      if (fault !== undefined) tally.wrong(fault)
    }
    if (stopped) socket.destroy()
    else if (tally.mayAsk()) send()
  }
  const connect = () => {
    reader = createHttpReader(
      {
        onHead(head) {
          status = head
        },
        onBody: chunk => body.push(chunk),
        onEnd,
      },
      { hasBody: true },
    )
    opened = performance.now()
    socket = createConnection({ port, host: '127.0.0.1', noDelay: true }, send)
    socket.on('data', chunk => {
      if (firstByteAt === 0) firstByteAt = performance.now()
      reader.push(chunk)
    })
    socket.on('error', error => tally.wrong(`the connection failed: ${error.message}`))
    socket.on('close', () => {
      const wasEnd = reader.close()
      if (stopped) return tally.closed()
      if (!wasEnd) tally.wrong('the connection was closed')
      setTimeout(connect, 5)
    })
  }
  connect()
  return {
    send,
    stop() {
      stopped = true
      socket.destroy()
    },
  }
}

/** At least so long, at most so much longer, until enough has happened. */
async function sleepUntil(leastMs, moreMs, isEnough) {
  await sleep(leastMs)
  for (let waited = 0; waited < moreMs && !isEnough(); waited += 50) await sleep(50)
}

const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds))

function createTally(onClosed = () => {}) {
  const faults = new Map()
  return {
    asked: 0,
    answered: 0,
    isOpen: false,
    latencies: [],
    /** From opening each connection to the end of its first answer. */
    accepts: [],
    firstBytes: [],
    faults,
    wrong: fault => faults.set(fault, (faults.get(fault) ?? 0) + 1),
    closed: onClosed,
    /** Whether a connection that has its answer asks again. */
    mayAsk: () => true,
  }
}

async function run(given) {
  const { port, connections, warmMs, durationMs, pids = [] } = given
  const tally = createTally()
  const job = { ...given, bytes: requestBytes(given, port) }
  const lanes = Array.from({ length: connections }, () => openLane(job, tally))
  // The first wave, in which all ask at once, is over when each has had an answer.
  await sleepUntil(warmMs, 1500, () => tally.answered >= connections)
  const cpuBefore = cpuMs(pids)
  const ownBefore = process.cpuUsage()
  const start = performance.now()
  tally.isOpen = true
  // A slow subject gets the time for a few answers on every connection.
  await sleepUntil(durationMs, 1500, () => tally.latencies.length >= connections * 2)
  const elapsed = performance.now() - start
  tally.isOpen = false
  const used = cpuMs(pids) - cpuBefore
  const own = process.cpuUsage(ownBefore)
  for (const lane of lanes) lane.stop()
  const { latencies, firstBytes, accepts, faults } = tally
  const count = latencies.length
  return {
    count,
    perSecond: (count * 1000) / elapsed,
    p50: quantile(latencies, 0.5),
    p99: quantile(latencies, 0.99),
    worst: quantile(latencies, 1),
    acceptP50: quantile(accepts, 0.5),
    acceptP99: quantile(accepts, 0.99),
    acceptWorst: quantile(accepts, 1),
    firstByteP50: quantile(firstBytes, 0.5),
    cpuMsEach: used / count,
    /** How much of one core the subject had, and how much the load generator itself. */
    busy: used / elapsed,
    ownBusy: (own.user + own.system) / 1000 / elapsed,
    wrong: [...faults.values()].reduce((a, b) => a + b, 0),
    faults: Object.fromEntries(faults),
  }
}

/**
 * A fixed number of requests over connections that have been used once, between two moments at which the subject has
 * nothing to do: the CPU time between them is what these requests cost, however long they took.
 */
async function batch(given) {
  const { port, connections, answers, pids } = given
  const tally = createTally()
  let left = 0
  let waiting = connections
  let onQuiet
  const quiet = () =>
    new Promise(resolve => {
      onQuiet = resolve
    })
  tally.mayAsk = () => {
    if (left > 0) return left-- > 0
    if (--waiting === 0) onQuiet()
    return false
  }
  const opened = quiet()
  const job = { ...given, bytes: requestBytes(given, port) }
  const lanes = Array.from({ length: connections }, () => openLane(job, tally))
  await opened
  await sleep(2)
  const before = cpuMs(pids)
  left = answers - connections
  waiting = connections
  const done = quiet()
  for (const lane of lanes) lane.send()
  await done
  // The subject is still busy with what follows an answer, and its time is counted when it goes to sleep.
  await sleep(2)
  const used = cpuMs(pids) - before
  for (const lane of lanes) lane.stop()
  return { cpuMsEach: used / answers, faults: Object.fromEntries(tally.faults) }
}

/** @type {import('node:net').Socket[]} */
let held = []

/** Opens streams that stay open; resolves when each has had its first byte. */
async function hold({ connections, port, ...request }) {
  const bytes = requestBytes(request, port)
  const opened = []
  for (let i = 0; i < connections; i++) {
    const socket = createConnection({ port, host: '127.0.0.1' }, () => socket.write(bytes))
    held.push(socket)
    opened.push(
      new Promise(resolve => {
        socket.once('data', () => resolve(true))
        socket.once('error', () => resolve(false))
      }),
    )
    if (i % 20 === 19) await sleep(5)
  }
  const lost = Symbol('lost')
  const late = sleep(10_000).then(() => lost)
  const states = await Promise.all(opened.map(one => Promise.race([one, late])))
  return { open: states.filter(state => state === true).length }
}

/** One request, its answer given back as it is. */
function once(given) {
  return new Promise(resolve => {
    const chunks = []
    let status = ''
    const socket = createConnection({ port: given.port, host: '127.0.0.1' }, () =>
      socket.write(requestBytes(given, given.port)),
    )
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ status: Number(status.split(' ')[1] ?? 0), text: Buffer.concat(chunks).toString() })
    }
    const timer = setTimeout(done, given.timeoutMs ?? 5000)
    const reader = createHttpReader(
      {
        onHead(head) {
          status = head
        },
        onBody: chunk => chunks.push(chunk),
        onEnd: done,
      },
      { hasBody: true },
    )
    socket.on('data', chunk => reader.push(chunk))
    socket.on('error', done)
    socket.on('close', () => reader.close() || done())
  })
}

serveAsks({
  run,
  batch,
  hold,
  once,
  release() {
    for (const socket of held) socket.destroy()
    held = []
  },
})
