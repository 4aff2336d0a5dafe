import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { SseFrame } from './sse-parser.ts'
import { createSseParser } from './sse-parser.ts'
import { createUtf8Decoder } from './utf8-decoder.ts'

function parse(...pieces: string[]): SseFrame[] {
  const parser = createSseParser()
  return [...pieces.flatMap(piece => parser.push(piece)), ...parser.end()]
}

describe('parsing', () => {
  test.each<[name: string, text: string, frames: SseFrame[]]>([
    ['an event with a name', 'event: a\ndata: 1\n\n', [{ event: 'a', data: '1' }]],
    ['several data lines as one event', 'data: 1\ndata: 2\n\n', [{ data: '1\n2' }]],
    ['a field without a space after the colon [field D31]', 'data:1\n\n', [{ data: '1' }]],
    ['all spaces after the first as data', 'data:  1\n\n', [{ data: ' 1' }]],
    ['carriage returns as line ends', 'data: 1\r\rdata: 2\r\n\r\n', [{ data: '1' }, { data: '2' }]],
    ['past comments and unknown fields', ': hi\nid: 3\nretry: 9\ndata: 1\n\n', [{ data: '1' }]],
    ['past a byte order mark', '\ufeffdata: 1\n\n', [{ data: '1' }]],
    ['past an event without data', 'event: a\n\ndata: 1\n\n', [{ data: '1' }]],
    ['a field without a colon', 'data\n\n', [{ data: '' }]],
    ['the last event without a blank line', 'data: 1', [{ data: '1' }]],
    ['line separators of Unicode as data [field D31]', 'data: a\u2028b\n\n', [{ data: 'a\u2028b' }]],
  ])('The parser reads %s.', (_, text, frames) => {
    expect(parse(text)).toEqual(frames)
    expect(parse(...text)).toEqual(frames)
  })

  test('The parser returns the same frames however the text is cut.', () => {
    const line = fc.stringMatching(/^[a-z: ]{0,8}$/)
    const text = fc.array(
      fc.tuple(
        fc.constantFrom('data: ', 'event: ', ': ', 'x', ''),
        line,
        fc.constantFrom('\n', '\r', '\r\n'),
      ),
    )
    fc.assert(
      fc.property(text, fc.array(fc.nat(6)), (lines, cuts) => {
        const whole = lines.flat().join('')
        const pieces: string[] = []
        let rest = whole
        for (const cut of cuts) {
          pieces.push(rest.slice(0, cut))
          rest = rest.slice(cut)
        }
        expect(parse(...pieces, rest)).toEqual(parse(whole))
      }),
    )
  })

  test('The parser counts the characters of an unfinished event, without comments.', () => {
    const parser = createSseParser()
    const counts = [
      '',
      'data: 12',
      '34',
      '\n',
      ': a comment\n',
      ': anoth',
      'er\n',
      'data: 5',
      '\n\n',
      ': hb',
      '\n',
    ].map(piece => {
      parser.push(piece)
      return parser.pendingLength
    })
    expect(counts).toEqual([0, 8, 10, 4, 4, 4, 4, 11, 0, 0, 0])
  })

  test('The parser stops at a line or an event that exceeds the limit, and returns the events before it.', () => {
    for (const piece of ['data: no line ever ends here ', 'data: an event of many lines\n']) {
      const parser = createSseParser(1000)
      const frames = parser.push('data: whole\n\n')
      for (let i = 0; i < 100; i++) frames.push(...parser.push(piece))
      expect([...frames, ...parser.end()]).toEqual([{ data: 'whole' }])
      expect(parser.exceeded).toMatch(/longer than 1000/)
    }
  })
})

describe('reading frame by frame', () => {
  const known = 'data: known\n\n'
  function receive(pieces: readonly string[]): string[] {
    const parser = createSseParser()
    const received: string[] = []
    for (const piece of pieces) {
      parser.feed(piece)
      for (let frame: SseFrame | undefined = { data: '' }; frame !== undefined; ) {
        while (parser.position >= 0 && piece.startsWith(known, parser.position)) {
          received.push('known')
          parser.skipTo(parser.position + known.length)
        }
        frame = parser.next()
        if (frame !== undefined) received.push(frame.data)
      }
      expect(piece.slice(parser.completedLength)).not.toContain(known)
    }
    return [...received, ...parser.end().map(({ data }) => data)]
  }

  test('A caller that reads some frames itself gets the same frames in the same order, however the text is cut.', () => {
    const event = fc.constantFrom(
      known,
      'data: a\n\n',
      'event: b\ndata: b\n\n',
      ': c\n',
      'data: d\r\n',
      '\r',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(event), fc.array(fc.nat(20)), (list, cuts) => {
        const whole = list.join('')
        const positions = cuts.filter(cut => cut < whole.length).sort((a, b) => a - b)
        const pieces = [...positions, whole.length].map((end, i) => whole.slice(positions[i - 1] ?? 0, end))
        expect(receive(pieces)).toEqual(parse(whole).map(({ data }) => data))
      }),
    )
  })
})

test('A character that is cut in two is decoded completely. [field D31]', () => {
  const bytes = new TextEncoder().encode('data: žluťoučký 🐎\n\n')
  const decode = createUtf8Decoder()
  const text = Array.from(bytes, byte => decode(Uint8Array.of(byte))).join('') + decode(undefined)
  expect(text).toBe('data: žluťoučký 🐎\n\n')
})
