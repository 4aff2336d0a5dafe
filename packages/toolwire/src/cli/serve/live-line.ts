/**
 * The last line of a terminal: the requests under way. Everything else that is printed goes above it, so all output of
 * the gateway passes through here.
 */
import type { ExchangeFacts, FactsObserver } from '../../telemetry/observer.ts'
import { isHousekeeping } from '../../telemetry/observer.ts'
import { formatMs } from '../../telemetry/quantities.ts'
import { type Colors, colorsFor } from '../../terminal/colors.ts'
import { cutToWidth } from '../../terminal/display-width.ts'
import { type Io, type Output, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import type { Environment } from './environment.ts'

export interface LiveLine {
  /** Its outputs leave the line in place. */
  readonly io: Io
  readonly observer: FactsObserver
  close(): void
}

const frameMs = 100
/** What is over sooner would only flicker. */
const shownAfterMs = 300
const spinner = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'
const erase = '\r\u001b[2K'

export function createLiveLine(io: Io, world: Pick<Environment, 'every' | 'uptimeMs'>): LiveLine {
  const { stderr } = io
  const colors = colorsFor(stderr, io.env)
  const running = new Map<ExchangeFacts, number>()
  let stopTimer: (() => void) | undefined
  let isShown = false
  let frame = 0
  const hide = (): void => {
    if (isShown) stderr.write(erase)
    isShown = false
  }
  const show = (): void => {
    const text = lineOf(running, world.uptimeMs(), frame, colors, widthOf(stderr) - 1)
    if (text === undefined) hide()
    else stderr.write(erase + text)
    isShown = text !== undefined
  }
  const tick = (): void => {
    frame++
    show()
  }
  const wrap = (output: Output): Output => ({
    write(text) {
      const wasShown = isShown
      hide()
      output.write(text)
      if (wasShown && text.endsWith('\n')) show()
    },
    isTTY: output.isTTY,
    get columns() {
      return output.columns ?? 0
    },
  })
  const stop = (): void => {
    stopTimer?.()
    stopTimer = undefined
    hide()
  }
  return {
    io: { ...io, stdout: wrap(io.stdout), stderr: wrap(stderr) },
    observer: {
      began(facts) {
        running.set(facts, world.uptimeMs())
        stopTimer ??= world.every(frameMs, tick)
      },
      ended(facts) {
        running.delete(facts)
        if (running.size === 0) stop()
      },
    },
    close: stop,
  }
}

/** The oldest first; `undefined` when there is nothing to show. */
function lineOf(
  running: ReadonlyMap<ExchangeFacts, number>,
  now: number,
  frame: number,
  colors: Colors,
  width: number,
): string | undefined {
  const shown = [...running].filter(([facts, since]) => !isHousekeeping(facts) && now - since >= shownAfterMs)
  if (shown.length === 0) return undefined
  const each = shown.map(([{ model = '', firstByteMs }, since]) => {
    const state = firstByteMs === undefined ? '' : ' streaming'
    return `${printable(model)} ${formatMs(now - since)}${state}`.trim()
  })
  const text = cutToWidth(`${shown.length} under way  ${each.join(', ')}`, width - 2)
  return `${colors.cyan(spinner[frame % spinner.length] ?? '')} ${colors.dim(text)}`
}
