/**
 * The log: one line for each request, and for people the names of the columns before the first. It never holds keys,
 * nor anything that was asked or answered; only where the gateway itself failed does it hold what went wrong inside.
 */
import pico from 'picocolors'
import type { Colors } from '../terminal/colors.ts'
import { printable } from '../terminal/printable.ts'
import { isFailed } from './exchange-cells.ts'
import type { ExchangeRecord, RecordText } from './exchange-record.ts'
import { createRecordText, recordOf } from './exchange-record.ts'
import { exchangeRow, headerRow } from './exchange-rows.ts'
import { isHousekeeping } from './housekeeping-routes.ts'
import { createMasker, maskedStart } from './mask-secrets.ts'
import type { ExchangeFacts, Observer } from './observer.ts'
import { onEnd } from './on-end.ts'

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

export interface LoggerOptions {
  /** Takes a line, its end included. */
  write(line: string): void
  readonly format: 'json' | 'pretty'
  /** Requests below it are not logged. `debug` also tells what a failure said, which may quote what was asked. */
  readonly level?: LogLevel
  /** For `pretty`; none when left out. */
  readonly colors?: Colors
  /** For `pretty`, how many columns there are now; by default as many as it takes. */
  columns?(): number
  /** For `json`, shared with others who watch the same exchanges. */
  readonly recordText?: RecordText
}

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const longestMessage = 300
const longestInside = 6000
const masker = createMasker()

export function createLogger(options: LoggerOptions): Observer {
  const { write, format, level = 'info', colors, columns = () => Number.POSITIVE_INFINITY } = options
  const { recordText = createRecordText() } = options
  const least = levels.indexOf(level)
  const paints = colors ?? pico.createColors(false)
  let shownHeader: string | undefined
  return onEnd(facts => () => {
    const own = levelOf(facts)
    if (levels.indexOf(own) < least) return
    const words = level === 'debug' || own === 'error' ? wordsOf(facts, level, own) : undefined
    if (format === 'json') return write(jsonLine(recordText(facts), own, words))
    const width = columns()
    const header = headerRow(paints, width)
    // Once, and again when the terminal was made so narrow or wide that there are other columns.
    if (header !== shownHeader) write(header)
    shownHeader = header
    write(prettyLine(recordOf(facts), words, paints, width))
  })
}

function levelOf(facts: ExchangeFacts): LogLevel {
  if (isFailed(facts)) return 'error'
  if (isHousekeeping(facts)) return 'debug'
  return !facts.abandoned && (facts.status ?? 0) >= 400 ? 'warn' : 'info'
}

/** What is said beyond the record. */
interface Words {
  readonly message?: string | undefined
  readonly internal?: string | undefined
}

function wordsOf({ failure, internal }: ExchangeFacts, level: LogLevel, own: LogLevel): Words {
  return {
    message: level === 'debug' ? maskedText(failure?.message, longestMessage) : undefined,
    internal: own === 'error' ? maskedText(internal, longestInside) : undefined,
  }
}

function maskedText(text: string | undefined, longest: number): string | undefined {
  return text === undefined ? undefined : maskedStart(text, longest, masker)
}

/** The level stands behind the time, which comes first, and what is said beyond the record at the end. */
function jsonLine(record: string, level: LogLevel, words: Words | undefined): string {
  const afterTime = record.indexOf(',') + 1
  const rest = words === undefined ? '' : JSON.stringify(words).slice(1, -1)
  const end = rest === '' ? '' : `,${rest}`
  const line = `${record.slice(0, afterTime)}"level":"${level}",${record.slice(afterTime, -1)}${end}}`
  // What could harm a terminal stands only inside texts, where its escape means the same to a reader of JSON.
  return `${printable(line)}\n`
}

function prettyLine(record: ExchangeRecord, words: Words | undefined, colors: Colors, width: number): string {
  const { message, internal } = words ?? {}
  const lines = [...(message === undefined ? [] : [message]), ...(internal?.split('\n') ?? [])]
  const below = lines.map(line => `          ${colors.red(printable(line))}\n`)
  return exchangeRow(record, colors, width) + below.join('')
}
