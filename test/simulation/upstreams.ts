/** The upstreams of a simulation: they send the planned turns with random delays and the planned faults. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type { Receiver, Transport } from '../../packages/toolwire/src/gateway/http/contract.ts'
import type { Turn } from '../support/clients/scripted-wire.ts'
import { textOf } from '../support/faults/upstream.ts'
import { readHistory } from '../support/gateway/script.ts'
import type { TimerGroup } from '../support/soak/clock.ts'
import { ownJson, uncounted } from '../support/soak/json-work.ts'
import type { Failure, Fault } from '../support/soak/plan.ts'
import { describePlan } from '../support/soak/plan.ts'
import type { Random } from '../support/soak/random.ts'
import {
  errorFrame,
  framesOf,
  isTerminalFrame,
  malformed,
  pingOf,
  plannedTurn,
  refusalFor,
  wholeOf,
} from '../support/soak/upstream-frames.ts'
import type { World } from './contract.ts'
import type { ExchangeState, FlowState } from './exchange-state.ts'
import { foreignMarks } from './marks.ts'

interface Line extends FlowState {
  readonly flow: ReturnType<Transport>
  /** Queues an action: actions run in order, each after its delay, and not while the gateway has paused the answer. */
  later(wait: number, act: () => void): void
  head(status: number, headers: Readonly<Record<string, string>>): void
  data(bytes: Uint8Array): void
  end(): void
  fail(): void
}

export function createTransport(wire: Wire, world: World): Transport {
  return (request, receiver) => {
    const text = textOf(request.body)
    // What has no body asks for a response by its id, to read, cancel or delete it.
    if (text === '') return unknownTo(world, receiver)
    const body = ownJson.parse(text) as { model?: unknown; stream?: unknown }
    const exchange = world.exchanges.get(Number(String(body.model).split('-')[1]))
    if (exchange === undefined) throw new Error(`No plan for the model ${body.model}.`)
    const { plan } = exchange
    world.note(`upstream ${plan.n} request ${text.length}`, text)
    for (const mark of foreignMarks(plan.owner, text))
      world.report(`${describePlan(plan)}: the upstream got the text ${mark} of another owner`)
    const line = openLine(world.clock, receiver)
    exchange.flows.push(line)
    const failure = plan.failures[exchange.attempts++]
    if (failure !== undefined) refuse(line, failure, wire, plan.random)
    else {
      try {
        answer(line, wire, exchange, body)
      } catch (error) {
        const why = error instanceof Error ? error.message : error
        world.report(`${describePlan(plan)}: the upstream could not read the request: ${why}`)
        line.later(1, line.fail)
      }
    }
    return line.flow
  }
}

/** These upstreams keep nothing that could be asked for. */
function unknownTo({ clock }: World, receiver: Receiver): ReturnType<Transport> {
  const line = openLine(clock, receiver)
  line.later(1, () => {
    line.head(404, { 'content-type': 'application/json' })
    line.data(Buffer.from('{"error":{"message":"There is nothing here."}}'))
    line.end()
  })
  return line.flow
}

function openLine(clock: TimerGroup, receiver: Receiver): Line {
  const steps: { readonly wait: number; readonly act: () => void }[] = []
  let isPaused = false
  let isBusy = false
  let cancel = (): void => {}
  const next = (): void => {
    const step = steps[0]
    if (isBusy || isPaused || step === undefined || line.how !== 'open') return
    isBusy = true
    cancel = clock.after(step.wait, () => {
      isBusy = false
      if (isPaused) {
        // The delay has passed; the action runs when the gateway resumes.
        steps[0] = { ...step, wait: 0 }
        return
      }
      steps.shift()
      step.act()
      next()
    })
  }
  const close = (how: FlowState['how'], notify: () => void): void => {
    if (line.how !== 'open') return
    line.how = how
    cancel()
    steps.length = 0
    notify()
  }
  const line: Line = {
    how: 'open',
    flow: {
      pause() {
        isPaused = true
      },
      resume() {
        isPaused = false
        next()
      },
      abort: () => close('aborted', () => {}),
    },
    later(wait, act) {
      steps.push({ wait, act })
      next()
    },
    head: (status, headers) => receiver.head(status, headers),
    data: bytes => receiver.data(bytes),
    end: () => close('ended', () => receiver.end()),
    fail: () =>
      close('failed', () =>
        receiver.fail(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })),
      ),
  }
  return line
}

function refuse(line: Line, failure: Failure, wire: Wire, random: Random): void {
  switch (failure) {
    case 'mute':
      return
    case 'refused':
      // Some failures are known before the request is sent.
      line.fail()
      return
    case 'unreachable':
      line.later(random.between(1, 3000), line.fail)
      return
  }
  const { status, headers, body } = refusalFor(failure, wire, random)
  line.later(random.between(1, 500), () => line.head(status, headers))
  line.later(1, () => line.data(Buffer.from(body)))
  line.later(1, line.end)
}

function answer(line: Line, wire: Wire, exchange: ExchangeState, body: { readonly stream?: unknown }): void {
  const { plan } = exchange
  const { random, streamsWrongly } = plan
  const history = readHistory(wire, body)
  exchange.received.push(history)
  const at = exchange.begun++
  const turn = plannedTurn(plan, at, history)
  const fault = plan.fault?.turn === at ? plan.fault : undefined
  if (history.stream !== streamsWrongly) stream(line, wire, exchange, turn, fault)
  else whole(line, wire, exchange, turn, fault)
  if (fault === undefined && !(plan.lingers && history.stream !== streamsWrongly))
    line.later(random.between(0, 20), line.end)
}

function stream(line: Line, wire: Wire, exchange: ExchangeState, turn: Turn, fault: Fault | undefined): void {
  const { random } = exchange.plan
  const frames = uncounted(() => framesOf(wire, turn))
  const last = frames.findIndex(frame => isTerminalFrame(wire, frame))
  const at = fault === undefined ? frames.length : positionOf(fault, frames)
  const frame = frames[at] ?? ''
  exchange.isBroken ||= at <= last
  line.later(random.between(1, 2000), () => line.head(200, { 'content-type': 'text/event-stream' }))
  const gap = createGaps(random)
  const send = (texts: readonly string[]): void => {
    for (const bytes of chunksOf(Buffer.from(texts.join('')), random)) {
      line.later(gap(), () => {
        exchange.sent.push(bytes)
        line.data(bytes)
      })
    }
  }
  if (fault?.kind === 'malformed') send([...frames.slice(0, at), malformed(frame), ...frames.slice(at + 1)])
  else send(withMalformed(frames.slice(0, at), fault))
  if (fault === undefined) return
  // The connection ends in the middle of an event.
  if (fault.kind === 'cut' || fault.kind === 'eof') send([frame.slice(0, random.below(frame.length >> 1))])
  if (fault.kind === 'error') send([errorFrame(wire, at)])
  spoil(line, wire, fault, random)
}

/** The event in the middle, if the fault is to be the second. */
function withMalformed(frames: readonly string[], fault: Fault | undefined): readonly string[] {
  const at = frames.length >> 1
  return fault?.isSecond === true && frames[at]?.startsWith('event: ping') === false
    ? frames.map((frame, i) => (i === at ? malformed(frame) : frame))
    : frames
}

/** A malformed ping would lose nothing, so the next frame is taken. */
function positionOf({ kind, where }: Fault, frames: readonly string[]): number {
  const at = Math.floor(where * frames.length)
  return kind === 'malformed' && frames[at]?.startsWith('event: ping') ? at + 1 : at
}

function spoil(line: Line, wire: Wire, { kind }: Fault, random: Random): void {
  if (kind === 'cut') line.later(1, line.fail)
  else if (kind === 'pings') ping()
  else if (kind !== 'stall') line.later(1, line.end)

  function ping(): void {
    line.later(random.between(500, 3000), () => {
      line.data(Buffer.from(pingOf(wire)))
      ping()
    })
  }
}

function whole(line: Line, wire: Wire, exchange: ExchangeState, turn: Turn, fault: Fault | undefined): void {
  const { random } = exchange.plan
  const text = wholeOf(wire, turn)
  exchange.isBroken ||= fault !== undefined
  const sent = fault === undefined ? text : text.slice(0, Math.floor(fault.where * (text.length - 1)))
  line.later(random.between(1, 2000), () => line.head(200, { 'content-type': 'application/json' }))
  const gap = createGaps(random)
  for (const bytes of chunksOf(Buffer.from(sent), random)) {
    line.later(gap(), () => {
      exchange.sent.push(bytes)
      line.data(bytes)
    })
  }
  if (fault === undefined) return
  if (fault.kind === 'cut') line.later(1, line.fail)
  else if (fault.kind !== 'stall' && fault.kind !== 'pings') line.later(1, line.end)
}

/** Mostly short delays and at most two long ones, which together stay below the idle timeout. */
function createGaps(random: Random): () => number {
  let long = 2
  return () => (random.chance(0.01) && long-- > 0 ? random.between(5_000, 12_000) : random.between(0, 60))
}

/** Chunks of random sizes, which end anywhere. */
function* chunksOf(bytes: Buffer, random: Random): Generator<Buffer> {
  const largest = random.pick([200, 1_000, 5_000, 1_000_000])
  for (let at = 0; at < bytes.length; ) {
    const size = largest > 5_000 ? largest : random.between(1, Math.max(largest, bytes.length >> 8))
    yield bytes.subarray(at, at + size)
    at += size
  }
}
