/** A recorded stream as its events, each with its time. */

export interface StreamEvent {
  readonly index: number
  /** The name of the event, or the type in its data. */
  readonly name: string
  readonly data: string
  /** Since the start of the exchange. */
  readonly ms: number | undefined
}

export function looksLikeStream(text: string): boolean {
  return /^\s*(event|data|id|retry|:)/.test(text.slice(0, 200)) && !/^\s*[{[]/.test(text.slice(0, 20))
}

export function eventsOf(text: string, times: readonly number[] = []): StreamEvent[] {
  const blocks = text.replaceAll('\r\n', '\n').split('\n\n')
  if (blocks.at(-1)?.trim() === '') blocks.pop()
  return blocks.map((block, index) => {
    const lines = block.split('\n')
    const read = (field: string): string[] =>
      lines
        .filter(line => line.startsWith(`${field}:`))
        .map(line => line.slice(field.length + 1).replace(/^ /, ''))
    const data = read('data').join('\n')
    const comment = lines.find(line => line.startsWith(':'))
    const name =
      read('event')[0] ?? typeIn(data) ?? (data === '' && comment !== undefined ? 'comment' : 'data')
    return { index, name, data: data === '' ? (comment ?? block) : data, ms: times[index] }
  })
}

function typeIn(data: string): string | undefined {
  if (data === '[DONE]') return 'done'
  return /^\{\s*"type"\s*:\s*"([\w.]+)"/.exec(data.slice(0, 120))?.[1]
}

/** From here on two events are not compared. */
const longestCompared = 20_000

/** The last member in which an event differs from the one before it, of the same name: most repeat all the others. */
export function newsIn({ data, name }: StreamEvent, before: StreamEvent | undefined): string {
  if (before === undefined || before.name !== name || data.length > longestCompared) return data
  let same = 0
  while (same < data.length && data.at(-1 - same) === before.data.at(-1 - same)) same++
  const last = data.length - same
  const start = Math.max(data.lastIndexOf(',"', last), data.lastIndexOf('{"', last)) + 1
  return start <= 1 ? data : `…${data.slice(start)}`
}
