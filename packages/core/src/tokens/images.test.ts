import { describe, expect, test } from 'vitest'
import type { ImagePart } from '../model/conversation.ts'
import type { BuiltInWire as Wire } from '../wires/registry.ts'
import { builtInConversations } from '../wires/registry.ts'
import { imageSizeOf, imageTokens } from './images.ts'

const base64 = (...bytes: (number | string)[]): string =>
  Buffer.concat(
    bytes.map(piece => (typeof piece === 'number' ? Buffer.from([piece]) : Buffer.from(piece, 'latin1'))),
  ).toString('base64')
const png = (width: number, height: number): string => {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return base64('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', size.toString('latin1'))
}

describe('the size of an image', () => {
  test.each([
    ['PNG', png(640, 480)],
    ['GIF', base64('GIF89a', 0x80, 2, 0xe0, 1, 0)],
    ['JPEG', base64(0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xc0, 0, 17, 8, 1, 0xe0, 2, 0x80, 3, 0)],
    ['WebP, lossy', base64('RIFF\0\0\0\0WEBPVP8 ', '\0'.repeat(10), 0x80, 2, 0xe0, 1)],
    ['WebP, lossless', base64('RIFF\0\0\0\0WEBPVP8L', '\0'.repeat(5), 0x7f, 0xc2, 0x77, 0)],
    ['WebP, extended', base64('RIFF\0\0\0\0WEBPVP8X', '\0'.repeat(8), 0x7f, 2, 0, 0xdf, 1, 0)],
  ])('The size of an image is read from a %s.', (_, data) => {
    expect(imageSizeOf(data)).toEqual({ width: 640, height: 480 })
  })

  test.each(['', 'AAAA', '!!!!', base64('\x89PNG'), base64(0xff, 0xd8, 0xff), png(0, 5)])(
    'The text %j shows no size of an image.',
    data => {
      expect(imageSizeOf(data)).toBeUndefined()
    },
  )
})

describe('the tokens of an image', () => {
  const tokens = (wire: Wire, model: string | undefined, source: ImagePart['source'], detail?: string) =>
    imageTokens(
      { kind: 'image', path: [], source, ...(detail && { detail }) },
      model,
      builtInConversations[wire].framing,
    )
  const data = (width: number, height: number) =>
    ({ type: 'data', mediaType: 'image/png', data: png(width, height) }) as const

  test("Image tokens follow OpenAI's examples: 1024 by 1024 are 765, 2048 by 4096 are 1105, low detail is 85.", () => {
    expect(tokens('chat', 'gpt-4o', data(1024, 1024))).toEqual({ tokens: 765, known: true })
    expect(tokens('chat', 'gpt-4o', data(2048, 4096)).tokens).toBe(1105)
    expect(tokens('chat', 'gpt-4o', data(4096, 8192), 'low').tokens).toBe(85)
  })

  test("Image tokens follow OpenAI's example of patches: 1024 by 1024 are 1024 of them.", () => {
    expect(tokens('responses', 'gpt-4.1-mini', data(1024, 1024)).tokens).toBe(Math.ceil(1024 * 1.62))
    expect(tokens('responses', 'o4-mini', data(1800, 2400)).tokens).toBeLessThanOrEqual(
      Math.ceil(1536 * 1.72),
    )
  })

  test("Image tokens follow Anthropic's table: 200 by 200 are about 54, 1000 by 1000 about 1334, and none is above 1600.", () => {
    expect(tokens('messages', undefined, data(200, 200)).tokens).toBe(54)
    expect(tokens('messages', undefined, data(1000, 1000)).tokens).toBe(1334)
    expect(tokens('messages', undefined, data(8000, 8000)).tokens).toBe(1600)
  })

  test('The tokens of an image of unknown size are assumed, and that is reported.', () => {
    expect(tokens('chat', 'unknown', { type: 'url', url: 'https://example.com/a.png' })).toEqual({
      tokens: 765,
      known: false,
    })
  })
})
