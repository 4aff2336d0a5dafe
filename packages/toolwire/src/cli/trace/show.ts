/** One exchange for reading: its facts, what was said, what was lost and, on request, the four raw views. */

import type { Conversation } from '../../reading/said.ts'
import type { ViewName } from '../../telemetry/observer.ts'
import { formatBytes, formatDollars, formatMs } from '../../telemetry/quantities.ts'
import type { Trace, TracePart, TraceSummary } from '../../telemetry/traces/trace-document.ts'
import type { Colors } from '../../terminal/colors.ts'
import { type Output, widthOf } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { diagnosticsTable, wrap } from '../../terminal/table.ts'
import { jsonLines } from '../diff/json-lines.ts'
import { looksLikeEvents } from '../input.ts'
import { conversationLines } from './conversation-lines.ts'
import { eventLines } from './event-lines.ts'

/** In the order in which they are recorded. */
export const viewNames: readonly ViewName[] = [
  'client-request',
  'upstream-request',
  'upstream-answer',
  'client-answer',
]

export interface ShowOptions {
  readonly output: Output
  readonly colors: Colors
  /** All lines, in full length. */
  readonly full: boolean
  /** The headers of each view. */
  readonly headers: boolean
  /** The four views instead of what was said. */
  readonly raw: boolean
  /** Only this round of a view, from 1. */
  readonly round?: number | undefined
}

/** Lines of each body, unless `full` is set. */
const shownLines = 30

export function showTrace(trace: Trace, conversation: Conversation, options: ShowOptions): string {
  const { output, colors, full, raw, headers } = options
  const { losses, summary } = trace
  const missing = summary.losses - losses.length
  const more = missing > 0 ? `  ${colors.dim(`… and ${missing} more`)}\n` : ''
  const kept = viewNames.filter(name => trace.views[name] !== undefined)
  const absent = viewNames.filter(name => trace.views[name] === undefined)
  return [
    `${colors.bold(printable(summary.id))}  ${printable(summary.target ?? summary.route)}\n\n`,
    ...factRows(trace, !raw && saysError(conversation)).flatMap(([name, text]) =>
      wrap(text, widthOf(output) - 14).map(
        (line, i) => `  ${colors.dim((i === 0 ? name : '').padEnd(10))}  ${line}\n`,
      ),
    ),
    ...(raw ? [] : saidBlock(conversation, widthOf(output) - 2, full, colors)),
    ...(losses.length === 0 ? [] : ['\n', colors.bold('lost on the way'), '\n']),
    diagnosticsTable(losses, output, colors),
    more,
    ...(raw || headers ? kept.map(name => showView(trace, name, options)) : []),
    absent.length === 0 ? '' : `\n${colors.dim(`not recorded: ${absent.join(', ')}`)}\n`,
    raw || headers || kept.length === 0 ? '' : `\n${colors.dim(moreOf(summary.id))}\n`,
  ].join('')
}

function saidBlock(conversation: Conversation, width: number, full: boolean, colors: Colors): string[] {
  const lines = conversationLines(conversation, { width, full, colors })
  return lines.length === 0 ? [] : ['\n', ...lines.map(line => `  ${line.trimEnd()}\n`)]
}

function moreOf(id: string): string {
  return `"toolwire trace ${printable(id.slice(0, 12))} --raw" shows what was on the wire; --headers, --curl and --har too.`
}

/** Every part of one view, or that of one round. */
export function showView(trace: Trace, name: ViewName, options: ShowOptions): string {
  const { colors, round } = options
  const { parts, omitted } = trace.views[name] ?? { parts: [], omitted: 0 }
  const shown = parts.map((part, i) => {
    if (round !== undefined && round !== i + 1) return ''
    const which = parts.length > 1 ? ` ${i + 1} of ${parts.length + omitted}` : ''
    return `\n${colors.bold(name + which)}${showPart(part, options)}`
  })
  const rest =
    omitted === 0 || round !== undefined ? '' : `\n${colors.dim(`${omitted} more of ${name}, not kept`)}\n`
  return shown.join('') + rest
}

function showPart({ line = '', headers = {}, text, size, cut }: TracePart, options: ShowOptions): string {
  const { colors } = options
  const about = [printable(line), formatBytes(size), ...(cut ? ['cut'] : [])].filter(word => word !== '')
  const body = bodyLines(text, options)
  const shown = options.full ? body : body.slice(0, shownLines)
  const left = body.length - shown.length
  return [
    `  ${colors.dim(about.join(', '))}\n`,
    ...(options.headers ? Object.entries(headers) : []).map(
      ([key, value]) => `  ${colors.dim(`${printable(key)}: ${printable(value)}`)}\n`,
    ),
    ...(options.raw ? shown : []).map(text => `  ${text}\n`),
    ...(options.raw && left > 0 ? [`  ${colors.dim(`… ${left} more lines; --full shows all`)}\n`] : []),
  ].join('')
}

/** Laid out as JSON or as events where it is one of these, and unchanged otherwise. */
function bodyLines(text: string, { output, colors, full }: ShowOptions): string[] {
  const width = widthOf(output) - 2
  if (text === '') return []
  try {
    return jsonLines(JSON.parse(text), width, full).map(line => line.text)
  } catch {
    if (looksLikeEvents(text)) return eventLines(text, width, full, colors)
    return text.split(/\r\n|\r|\n/).map(line => printable(line))
  }
}

/** Its message then stands in the conversation. */
function saysError({ answer }: Conversation): boolean {
  return answer.some(({ who }) => who === 'error')
}

/** `isBrief`: of a failure only the code. */
function factRows(
  { summary, failure, client_calls, tool_runs }: Trace,
  isBrief: boolean,
): (readonly [string, string])[] {
  const rows: (readonly [string, string | undefined])[] = [
    ['began', printable(summary.time)],
    ['state', stateText(summary)],
    [
      'failure',
      failure === undefined
        ? undefined
        : printable(
            [failure.code, ...(isBrief ? [] : [failure.message])].filter(text => text !== '').join(': '),
          ),
    ],
    ['wire', arrow(summary.wire, summary.upstream_wire)],
    ['upstream', summary.upstream === undefined ? undefined : printable(summary.upstream)],
    ['model', arrow(summary.model, summary.upstream_model)],
    ['time', timeText(summary)],
    ['tokens', tokensText(summary)],
    ['cost', summary.cost_usd === undefined ? undefined : formatDollars(summary.cost_usd)],
    ['finish', summary.finish === undefined ? undefined : printable(summary.finish)],
    ['response', summary.response_id === undefined ? undefined : printable(summary.response_id)],
    ['calls', client_calls.length === 0 ? undefined : printable(client_calls.join(', '))],
    [
      'tools run',
      tool_runs.length === 0
        ? undefined
        : tool_runs
            .map(run => printable(`${run.name} ${run.status} ${formatMs(run.duration_ms)}`))
            .join(', '),
    ],
    ['rounds', (summary.rounds ?? 1) > 1 ? String(summary.rounds) : undefined],
    ['retries', summary.retries > 0 ? String(summary.retries) : undefined],
  ]
  return rows.flatMap(([name, text]) => (text === undefined ? [] : [[name, text] as const]))
}

function stateText({ state, status, streamed, abandoned }: TraceSummary): string {
  const how = streamed ? ', streamed' : ''
  if (state === 'running') return `running${how}`
  if (abandoned) return `the client left before the end${how}`
  return `${status === undefined ? 'ended' : `status ${status}`}${how}`
}

function arrow(from: string | undefined, to: string | undefined): string | undefined {
  if (from === undefined) return undefined
  return printable(to === undefined || to === from ? from : `${from} → ${to}`)
}

function timeText({ first_byte_ms, total_ms, overhead_ms }: TraceSummary): string | undefined {
  const words = [
    ...(first_byte_ms === undefined ? [] : [`first byte ${formatMs(first_byte_ms)}`]),
    ...(total_ms === undefined ? [] : [`total ${formatMs(total_ms)}`]),
    ...(overhead_ms === undefined ? [] : [`the gateway’s own ${formatMs(overhead_ms)}`]),
  ]
  return words.length === 0 ? undefined : words.join(', ')
}

function tokensText(summary: TraceSummary): string | undefined {
  const { input_tokens, output_tokens, cache_read_tokens, reasoning_tokens } = summary
  if (input_tokens === undefined || output_tokens === undefined) return undefined
  const cached = cache_read_tokens ? ` (${cache_read_tokens} from a cache)` : ''
  const thought = reasoning_tokens ? ` (${reasoning_tokens} of them reasoning)` : ''
  return `${input_tokens} in${cached}, ${output_tokens} out${thought}`
}

/** Control characters are escaped line by line: the line breaks of the JSON itself stay. */
export function prettyJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2).split('\n').map(printable).join('\n')}\n`
}
