/**
 * The log: one line for each request; the pretty format also has a header. It never contains keys or the content of
 * requests and answers. When the gateway itself fails, it contains the stack of the failure.
 */
import pico from 'picocolors'
import type { Colors } from '../terminal/colors.ts'
import { printable } from '../terminal/printable.ts'
import { isFailed } from './exchange-cells.ts'
import { exchangeLine } from './exchange-line.ts'
import type { ExchangeRecord } from './exchange-record.ts'
import { recordOf } from './exchange-record.ts'
import { exchangeRow, headerRow } from './exchange-rows.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts, FactsObserver } from './observer.ts'
import { isHousekeeping } from './observer.ts'

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LoggerOptions {
  /** Receives a line with its line feed. */
  write(line: string): void
  /** Called when the lines of all that have ended were written. */
  flush?(): void
  readonly format: 'json' | 'pretty'
  /** Requests below it are not logged. `debug` also logs messages of failures, which may quote the request. */
  readonly level?: LogLevel
  /** For `pretty`. Default: no colors. */
  readonly colors?: Colors
  /** For `pretty`: the current width of the terminal. Default: unlimited. */
  columns?(): number
  /** For `pretty`: whether another process writes the header. */
  readonly isHeaderless?: boolean
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const maxMessageLength = 300
const maxStackLength = 6000
const masker = createMasker()

export function createLogger(options: LoggerOptions): FactsObserver {
  const { write, flush, format, level = 'info', colors, isHeaderless = false } = options
  const { columns = () => Number.POSITIVE_INFINITY } = options
  const minLevel = levels.indexOf(level)
  const paints = colors ?? pico.createColors(false)
  let shownHeader: string | undefined
  return {
    ended(facts) {
      const own = levelOf(facts)
      if (levels.indexOf(own) < minLevel) return
      const failure = level === 'debug' || own === 'error' ? failureText(facts, level, own) : undefined
      if (format === 'json') return write(jsonLine(facts, own, failure))
      const width = columns()
      const header = isHeaderless ? undefined : headerRow(paints, width)
      // Again when the width of the terminal has changed the columns.
      if (header !== undefined && header !== shownHeader) write(header)
      shownHeader = header
      write(prettyLine(recordOf(facts), failure, paints, width))
    },
    ...(flush !== undefined && { flush }),
  }
}

function levelOf(facts: ExchangeFacts): LogLevel {
  if (isFailed(facts)) return 'error'
  if (isHousekeeping(facts)) return 'debug'
  return !facts.abandoned && (facts.status ?? 0) >= 400 ? 'warn' : 'info'
}

/** What is logged beside the record. */
interface FailureText {
  readonly message?: string | undefined
  readonly internal?: string | undefined
}

function failureText({ failure, internal }: ExchangeFacts, level: LogLevel, own: LogLevel): FailureText {
  return {
    message: level === 'debug' ? maskedText(failure?.message, maxMessageLength) : undefined,
    internal: own === 'error' ? maskedText(internal, maxStackLength) : undefined,
  }
}

function maskedText(text: string | undefined, maxLength: number): string | undefined {
  return text === undefined ? undefined : maskedStart(text, maxLength, masker)
}

function jsonLine(facts: ExchangeFacts, level: LogLevel, failure: FailureText | undefined): string {
  const line = exchangeLine(facts, level)
  const rest = failure === undefined ? '' : printable(JSON.stringify(failure).slice(1, -1))
  return rest === '' ? `${line}}\n` : `${line},${rest}}\n`
}

function prettyLine(
  record: ExchangeRecord,
  failure: FailureText | undefined,
  colors: Colors,
  width: number,
): string {
  const { message, internal } = failure ?? {}
  const lines = [...(message === undefined ? [] : [message]), ...(internal?.split('\n') ?? [])]
  const below = lines.map(line => `          ${colors.red(printable(line))}\n`)
  return exchangeRow(record, colors, width) + below.join('')
}
