/** Which exchanges of the list are wanted. */
import type { TraceSummary } from '../../telemetry/traces/trace-document.ts'
import { UsageError } from '../../terminal/errors.ts'
import { printable } from '../../terminal/printable.ts'
import type { Arguments } from '../arguments.ts'

export interface Filter {
  /** Whether any was asked for. */
  readonly isSet: boolean
  /** What must have been said, in lower case. */
  readonly text: string | undefined
  fits(summary: TraceSummary): boolean
}

export function readFilter(args: Arguments): Filter {
  const model = args.value('model')
  const status = args.value('status')
  const text = args.value('text')?.toLowerCase()
  const losses = args.flag('losses')
  const fitsModel = createNameMatcher(model ?? '*')
  const fitsStatus = status === undefined ? () => true : statusFilter(status)
  return {
    isSet: model !== undefined || status !== undefined || text !== undefined || losses,
    text,
    fits: summary =>
      (model === undefined || namesOf(summary).some(fitsModel)) &&
      fitsStatus(summary) &&
      (!losses || summary.losses > 0),
  }
}

function namesOf({ model, upstream_model: upstream }: TraceSummary): string[] {
  return [model, upstream].filter(name => name !== undefined)
}

/** A name, or a part of it around each `*`. Case is ignored. */
function createNameMatcher(pattern: string): (name: string) => boolean {
  const pieces = pattern.toLowerCase().split('*')
  return name => {
    const text = name.toLowerCase()
    const [first = '', ...rest] = pieces
    const last = rest.pop()
    if (last === undefined) return text === first
    if (!text.startsWith(first)) return false
    let at = first.length
    for (const piece of rest) {
      const found = text.indexOf(piece, at)
      if (found < 0) return false
      at = found + piece.length
    }
    return text.length - last.length >= at && text.endsWith(last)
  }
}

function statusFilter(wanted: string): (summary: TraceSummary) => boolean {
  if (wanted === 'ok') return ({ state, status = 0 }) => state === 'ended' && status >= 200 && status < 400
  if (wanted === 'failed')
    return ({ status = 0, failure, abandoned }) => status >= 400 || failure !== undefined || abandoned
  if (wanted === 'running') return ({ state }) => state === 'running'
  if (!/^[1-5](?:\d\d|xx)$/i.test(wanted)) {
    throw new UsageError(
      `--status must be such as 200, 4xx, ok, failed or running; got "${printable(wanted)}".`,
    )
  }
  const start = wanted.toLowerCase().replace('xx', '')
  return ({ status }) => status !== undefined && String(status).startsWith(start)
}
