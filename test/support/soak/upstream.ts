/** The upstreams of a simulated world: they say what the plan has for them, at the pace and with the faults of the plan. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import type {
  Receiver,
  Transport,
  UpstreamRequest,
} from '../../../packages/toolwire/src/gateway/http/contract.ts'
import type { Turn } from '../clients/speech.ts'
import type { Dice } from './dice.ts'
import type { Fault, Trouble } from './plan.ts'
import type { Course, Scene, SoakFlow } from './scene.ts'
import {
  errorFrame,
  framesOf,
  hear,
  isLastWord,
  malformed,
  pingOf,
  refusalFor,
  speak,
  wholeOf,
} from './speech.ts'

interface Line extends SoakFlow {
  readonly flow: ReturnType<Transport>
  /** In this order, each after its wait, and none while the gateway asks to hold. */
  later(wait: number, act: () => void): void
  head(status: number, headers: Readonly<Record<string, string>>): void
  data(bytes: Uint8Array): void
  end(): void
  fail(): void
}

export function createSoakTransport(wire: Wire, scene: Scene): Transport {
  return (request, receiver) => {
    const body = JSON.parse(textOf(request)) as { model?: unknown; stream?: unknown }
    const course = scene.courses.get(Number(String(body.model).split('-')[1]))
    if (course === undefined) throw new Error(`No plan for the model ${body.model}.`)
    const line = openLine(scene, receiver)
    course.flows.push(line)
    const trouble = course.plan.troubles[course.attempts++]
    if (trouble !== undefined) refuse(line, trouble, wire, course.plan.dice)
    else {
      try {
        answer(line, wire, course, body)
      } catch (error) {
        scene.blame(
          course,
          `the upstream did not understand: ${error instanceof Error ? error.message : error}`,
        )
        line.later(1, line.fail)
      }
    }
    return line.flow
  }
}

function openLine({ clock }: Scene, receiver: Receiver): Line {
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
        // It has come, and waits to be let in.
        steps[0] = { ...step, wait: 0 }
        return
      }
      steps.shift()
      step.act()
      next()
    })
  }
  const close = (how: SoakFlow['how'], tell: () => void): void => {
    if (line.how !== 'open') return
    line.how = how
    cancel()
    steps.length = 0
    tell()
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

function refuse(line: Line, trouble: Trouble, wire: Wire, dice: Dice): void {
  switch (trouble) {
    case 'mute':
      return
    case 'refused':
      // Some failures are known before the request has left.
      line.fail()
      return
    case 'unreachable':
      line.later(dice.between(1, 3000), line.fail)
      return
  }
  const { status, headers, body } = refusalFor(trouble, wire, dice)
  line.later(dice.between(1, 500), () => line.head(status, headers))
  line.later(1, () => line.data(Buffer.from(body)))
  line.later(1, line.end)
}

function answer(line: Line, wire: Wire, course: Course, body: { readonly stream?: unknown }): void {
  const { plan } = course
  const { dice, isContrary } = plan
  const history = hear(wire, body)
  course.heard.push(history)
  const at = course.begun++
  const turn = speak(plan, at, history)
  const fault = plan.fault?.turn === at ? plan.fault : undefined
  if (history.stream !== isContrary) stream(line, wire, course, turn, fault)
  else whole(line, wire, course, turn, fault)
  if (fault === undefined && !(plan.lingers && history.stream !== isContrary))
    line.later(dice.between(0, 20), line.end)
}

function stream(line: Line, wire: Wire, course: Course, turn: Turn, fault: Fault | undefined): void {
  const { dice } = course.plan
  const frames = framesOf(wire, turn)
  const last = frames.findIndex(frame => isLastWord(wire, frame))
  const at = fault === undefined ? frames.length : placeOf(fault, frames)
  const frame = frames[at] ?? ''
  course.isDoomed ||= at <= last
  line.later(dice.between(1, 2000), () => line.head(200, { 'content-type': 'text/event-stream' }))
  const gap = createGaps(dice)
  const give = (texts: readonly string[]): void => {
    for (const bytes of chunksOf(Buffer.from(texts.join('')), dice)) {
      line.later(gap(), () => {
        course.given.push(bytes)
        line.data(bytes)
      })
    }
  }
  if (fault?.kind === 'malformed') give([...frames.slice(0, at), malformed(frame), ...frames.slice(at + 1)])
  else give(frames.slice(0, at))
  if (fault === undefined) return
  // What is left of an event when the line is cut in the middle of it.
  if (fault.kind === 'cut' || fault.kind === 'eof') give([frame.slice(0, dice.below(frame.length >> 1))])
  if (fault.kind === 'error') give([errorFrame(wire, at)])
  spoil(line, wire, fault, dice)
}

/** A ping says nothing, so nothing is lost with it. */
function placeOf({ kind, where }: Fault, frames: readonly string[]): number {
  const at = Math.floor(where * frames.length)
  return kind === 'malformed' && frames[at]?.startsWith('event: ping') ? at + 1 : at
}

function spoil(line: Line, wire: Wire, { kind }: Fault, dice: Dice): void {
  if (kind === 'cut') line.later(1, line.fail)
  else if (kind === 'pings') ping()
  else if (kind !== 'stall') line.later(1, line.end)

  function ping(): void {
    line.later(dice.between(500, 3000), () => {
      line.data(Buffer.from(pingOf(wire)))
      ping()
    })
  }
}

function whole(line: Line, wire: Wire, course: Course, turn: Turn, fault: Fault | undefined): void {
  const { dice } = course.plan
  const text = wholeOf(wire, turn)
  course.isDoomed ||= fault !== undefined
  const said = fault === undefined ? text : text.slice(0, Math.floor(fault.where * (text.length - 1)))
  line.later(dice.between(1, 2000), () => line.head(200, { 'content-type': 'application/json' }))
  const gap = createGaps(dice)
  for (const bytes of chunksOf(Buffer.from(said), dice)) line.later(gap(), () => line.data(bytes))
  if (fault === undefined) return
  if (fault.kind === 'cut') line.later(1, line.fail)
  else if (fault.kind !== 'stall' && fault.kind !== 'pings') line.later(1, line.end)
}

/** Mostly a moment, and sometimes so long that somebody wonders; together never so long that one may give up. */
function createGaps(dice: Dice): () => number {
  let long = 2
  return () => (dice.chance(0.01) && long-- > 0 ? dice.between(5_000, 12_000) : dice.between(0, 60))
}

/** In pieces that end anywhere, small or large. */
function* chunksOf(bytes: Buffer, dice: Dice): Generator<Buffer> {
  const largest = dice.pick([200, 1_000, 5_000])
  for (let at = 0; at < bytes.length; ) {
    const size = dice.between(1, largest)
    yield bytes.subarray(at, at + size)
    at += size
  }
}

function textOf({ body }: UpstreamRequest): string {
  return typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
}
