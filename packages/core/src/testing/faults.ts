/** Encodes the events of a stream, and applies the fault of the turn to them. */
import type { ApiError } from '../model/answer.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { StreamEncoder } from '../wires/define-wire.ts'
import type { Fault } from './scripted-turn.ts'
import { apiError } from './turn-answer.ts'

/** How a stream ends for its reader: normally, with a reset connection, or never. */
export type Ending = 'close' | 'reset' | 'stall'

interface SentEvents {
  /** Server-sent events, each with its blank line. */
  readonly frames: readonly string[]
  readonly ending: Ending
}

/** The default message of an answer that ends early. */
export const brokenOff: string = 'The script broke off this answer.'

export function sendEvents(
  events: readonly StreamEvent[],
  encoder: StreamEncoder,
  fault?: Fault,
): SentEvents {
  if (fault !== undefined && fault !== 'unreachable' && 'errorFrame' in fault) {
    const error = apiError(fault.error ?? brokenOff)
    return { frames: breakOff(events, encoder, { after: fault.errorFrame, error }), ending: 'close' }
  }
  const frames = events.flatMap(event => splitFrames(encoder.push(event)))
  return fault === undefined || fault === 'unreachable'
    ? { frames, ending: 'close' }
    : applyFault(frames, fault)
}

function applyFault(frames: string[], fault: Exclude<Fault, 'unreachable'>): SentEvents {
  if ('cut' in fault) return { frames: frames.slice(0, fault.cut), ending: 'close' }
  if ('reset' in fault) return { frames: frames.slice(0, fault.reset), ending: 'reset' }
  if ('stall' in fault) return { frames: frames.slice(0, fault.stall), ending: 'stall' }
  if ('malformed' in fault) {
    const breakFrame = (frame: string, i: number): string => (i === fault.malformed ? halfOf(frame) : frame)
    return { frames: frames.map(breakFrame), ending: 'close' }
  }
  const repeat = 'duplicate' in fault ? fault.duplicate : -1
  return { frames: frames.flatMap((frame, i) => (i === repeat ? [frame, frame] : [frame])), ending: 'close' }
}

/** One event of the model may be several on the wire; the error comes after all of them. */
function breakOff(
  events: readonly StreamEvent[],
  encoder: StreamEncoder,
  { after, error }: { readonly after: number; readonly error: ApiError },
): string[] {
  const frames: string[] = []
  for (const event of events) {
    if (frames.length >= after || event.type === 'finish') break
    frames.push(...splitFrames(encoder.push(event)))
  }
  return [...frames, ...splitFrames(encoder.push({ type: 'error', error }))]
}

function splitFrames(text: string): string[] {
  return text.split(/(?<=\n\n)/).filter(frame => frame !== '')
}

/** The frame of the event stays complete; only its JSON is not. */
function halfOf(frame: string): string {
  const start = frame.indexOf('data: ') + 'data: '.length
  const end = start + Math.ceil((frame.length - start) / 2)
  return `${frame.slice(0, end).trimEnd()}\n\n`
}
