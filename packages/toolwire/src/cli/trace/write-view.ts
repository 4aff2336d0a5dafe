/** One raw view of an exchange: laid out for people; for a pipe, what was on the wire and nothing else. */
import { keptText } from '../../reading/fold-stream.ts'
import type { ViewName } from '../../telemetry/observer.ts'
import { formatBytes } from '../../telemetry/quantities.ts'
import type { Trace, TraceView } from '../../telemetry/traces/trace-document.ts'
import { colorsFor } from '../../terminal/colors.ts'
import { UsageError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import type { ShowOptions } from './show.ts'
import { prettyJson, showView } from './show.ts'

export interface WantedView {
  readonly name: ViewName
  /** Which round, from 1. */
  readonly round: number | undefined
  readonly json: boolean
}

export function writeView(trace: Trace, wanted: WantedView, options: ShowOptions, io: Io): void {
  const { name, json } = wanted
  const whole = trace.views[name]
  if (whole === undefined) {
    throw new UsageError(
      `This exchange has no ${name}.`,
      'It may have failed before, or not come so far yet; the work on a background response has no client.',
    )
  }
  const count = whole.parts.length
  const isPiped = !json && !io.stdout.isTTY
  // Two JSON documents in a row cannot be parsed, so a pipe gets the last, which includes the earlier ones.
  const round = wanted.round ?? (isPiped && count > 1 ? count : undefined)
  const view = round === undefined ? whole : viewOfRound(whole, name, round)
  if (json) io.stdout.write(prettyJson(view))
  else if (isPiped)
    for (const part of view.parts) {
      const text = keptText(part)
      io.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
    }
  else io.stdout.write(showView(trace, name, { ...options, raw: true, round }).trimStart())
  const isChosen = round !== undefined && wanted.round === undefined
  const notes = [
    ...(isChosen ? [`round ${round} of ${count + whole.omitted}; --round picks another`] : []),
    ...missingFrom(view),
  ]
  if (notes.length === 0) return
  io.stderr.write(`${colorsFor(io.stderr, io.env).yellow('note')}: ${name}: ${notes.join('; ')}.\n`)
}

function viewOfRound({ parts, omitted }: TraceView, name: ViewName, round: number): TraceView {
  const part = parts[round - 1]
  if (part !== undefined) return { parts: [part], omitted: 0 }
  const hint = omitted === 0 ? undefined : `${omitted} more were not kept.`
  throw new UsageError(`The ${name} has no round ${round}; it has ${parts.length}.`, hint)
}

function missingFrom({ parts, omitted }: TraceView): string[] {
  const cut = parts.filter(part => part.cut)
  const sizes = cut.map(({ size }) => formatBytes(size))
  return [
    ...(cut.length === 0 ? [] : [`only the beginning was kept (of ${sizes.join(', ')})`]),
    ...(omitted === 0 ? [] : [`${omitted} more were not kept`]),
  ]
}
