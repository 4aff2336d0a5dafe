/** The text of a stream event by event, and what a fault makes of it. */

import type { ApiError } from '../model/answer.ts'
import type { StreamEvent } from '../model/stream-event.ts'
import type { StreamEncoder } from '../wires/define-wire.ts'
import type { Fault } from './scripted-turn.ts'
import { apiError } from './turn-answer.ts'

/** How a stream ends for whoever reads it: in good order, by a broken connection, or never. */
export type Ending = 'close' | 'reset' | 'stall'

interface Sent {
  /** Server-sent events, each with its blank line. */
  readonly frames: readonly string[]
  readonly ending: Ending
}

/** Why an answer ended early, where the script does not say. */
export const brokenOff: string = 'The script broke off this answer.'

export function sendEvents(events: readonly StreamEvent[], encoder: StreamEncoder, fault?: Fault): Sent {
  if (fault !== undefined && fault !== 'unreachable' && 'errorFrame' in fault) {
    const error = apiError(fault.error ?? brokenOff)
    return { frames: breakOff(events, encoder, { after: fault.errorFrame, error }), ending: 'close' }
  }
  const frames = events.flatMap(event => splitFrames(encoder.push(event)))
  return fault === undefined || fault === 'unreachable' ? { frames, ending: 'close' } : spoiled(frames, fault)
}

function spoiled(frames: string[], fault: Exclude<Fault, 'unreachable'>): Sent {
  if ('cut' in fault) return { frames: frames.slice(0, fault.cut), ending: 'close' }
  if ('reset' in fault) return { frames: frames.slice(0, fault.reset), ending: 'reset' }
  if ('stall' in fault) return { frames: frames.slice(0, fault.stall), ending: 'stall' }
  if ('malformed' in fault) {
    const spoil = (frame: string, i: number): string => (i === fault.malformed ? halfOf(frame) : frame)
    return { frames: frames.map(spoil), ending: 'close' }
  }
  const repeat = 'duplicate' in fault ? fault.duplicate : -1
  return { frames: frames.flatMap((frame, i) => (i === repeat ? [frame, frame] : [frame])), ending: 'close' }
}

/** A wire may say several events in one breath; the error waits until it has. */
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

/** The event is whole for the parser of events; only its JSON is not. */
function halfOf(frame: string): string {
  const start = frame.indexOf('data: ') + 'data: '.length
  const kept = start + Math.ceil((frame.length - start) / 2)
  return `${frame.slice(0, kept).trimEnd()}\n\n`
}
