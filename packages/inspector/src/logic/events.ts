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
