/** The log: one line for each request, and for people the names of the columns before the first. It never holds keys, nor anything that was asked or answered. */
import pico from 'picocolors'
import type { Colors } from '../cli/colors.ts'
import { printable } from '../cli/printable.ts'
import type { ExchangeFacts, Observer } from '../gateway/observation.ts'
import { exchangeRow, headerRow, isFailed } from './exchange-cells.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { recordOf } from './exchange-record.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import { isNoise } from './noise.ts'
import { watchEnds } from './watch-ends.ts'

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LoggerOptions {
  /** Takes a line, its end included. */
  write(line: string): void
  readonly format: 'json' | 'pretty'
  /** Requests below it are not logged. `debug` also tells what a failure said, which may quote what was asked. */
  readonly level?: LogLevel
  /** For `pretty`; none when left out. */
  readonly colors?: Colors
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const longestMessage = 300
const masker = createMasker()

export function createLogger({ write, format, level = 'info', colors }: LoggerOptions): Observer {
  const least = levels.indexOf(level)
  const paints = colors ?? pico.createColors(false)
  let begun = format === 'json'
  return watchEnds(facts => () => {
    const record = recordOf(facts)
    const own = levelOf(facts, record)
    if (levels.indexOf(own) < least) return
    const said = level === 'debug' ? messageOf(facts) : undefined
    if (!begun) write(headerRow(paints))
    begun = true
    write(format === 'json' ? jsonLine(record, own, said) : prettyLine(record, said, paints))
  })
}

function levelOf(facts: ExchangeFacts, record: ExchangeRecord): LogLevel {
  if (isFailed(record)) return 'error'
  if (isNoise(facts)) return 'debug'
  return !record.abandoned && (record.status ?? 0) >= 400 ? 'warn' : 'info'
}

function messageOf({ failure }: ExchangeFacts): string | undefined {
  return failure === undefined ? undefined : maskedStart(failure.message, longestMessage, masker)
}

function jsonLine({ time, ...rest }: ExchangeRecord, level: LogLevel, message: string | undefined): string {
  const line = JSON.stringify({ time, level, ...rest, ...(message !== undefined && { message }) })
  // What could harm a terminal stands only inside texts, where its escape means the same to a reader of JSON.
  return `${printable(line)}\n`
}

function prettyLine(record: ExchangeRecord, message: string | undefined, colors: Colors): string {
  const row = exchangeRow(record, colors)
  return message === undefined ? row : `${row}          ${colors.red(printable(message))}\n`
}
