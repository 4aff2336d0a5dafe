/** A stream of server-sent events for reading: one line for each event, and one for many of the same kind. */
import type { Colors } from '../../terminal/colors.ts'
import { cutToWidth, splitToWidth } from '../../terminal/display-width.ts'
import { printable } from '../../terminal/printable.ts'

interface StreamEvent {
  /** Its name, or the type in its data. */
  readonly name: string
  readonly data: string
}

/** Of more events of one kind in a row, the rest is only counted. */
const shownAlike = 3

export function eventLines(text: string, width: number, full: boolean, colors: Colors): string[] {
  const events = readEvents(text)
  const lines: string[] = []
  for (let i = 0; i < events.length; ) {
    const { name } = events[i] ?? { name: '' }
    let end = i + 1
    while (events[end]?.name === name) end++
    const shown = full || end - i <= shownAlike + 1 ? end : i + shownAlike
    for (const event of events.slice(i, shown)) lines.push(...eventLine(event, width, full, colors))
    if (shown < end) lines.push(colors.dim(`… ${end - shown} more ${printable(name)}`))
    i = end
  }
  return lines
}

function eventLine({ name, data }: StreamEvent, width: number, full: boolean, colors: Colors): string[] {
  const label = printable(name.slice(0, 200))
  const room = Math.max(20, width - label.length - 2)
  const shown = printable(full ? data : data.slice(0, Math.min(data.length, room * 8)))
  const [first = '', ...rest] = full ? splitToWidth(shown, room) : [cutToWidth(shown, room)]
  return [`${colors.cyan(label)}  ${first}`, ...rest.map(piece => `${' '.repeat(label.length)}  ${piece}`)]
}

function readEvents(text: string): StreamEvent[] {
  const events: StreamEvent[] = []
  let name: string | undefined
  let data: string[] = []
  const give = (): void => {
    if (data.length > 0 || name !== undefined) {
      const joined = data.join('\n')
      events.push({ name: name ?? typeOf(joined), data: joined })
    }
    name = undefined
    data = []
  }
  for (const line of text.replace(/^\ufeff/, '').split(/\r\n|\r|\n/)) {
    if (line === '') give()
    else if (line.startsWith(':')) events.push({ name: 'comment', data: line.slice(1).trim() })
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart())
    else if (line.startsWith('event:')) name = line.slice(6).trim()
    else if (line.startsWith('… cut:')) {
      give()
      events.push({ name: '…', data: line.slice(2) })
    }
  }
  give()
  return events
}

/** Events without a name are called by the type of the object in their data. */
function typeOf(data: string): string {
  return /"(?:type|object)"\s*:\s*"([\w.-]{1,60})"/.exec(data.slice(0, 2000))?.[1] ?? 'data'
}
