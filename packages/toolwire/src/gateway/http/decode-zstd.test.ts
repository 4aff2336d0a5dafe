import { expect, test } from 'vitest'
import { turnsDuring } from '../../../../../test/support/house/turns-during.ts'
import { decodeZstd } from './decode-zstd.ts'

async function decoded(bytes: Buffer): Promise<string> {
  const chunks: Uint8Array[] = []
  await decodeZstd(bytes, chunk => chunks.push(chunk))
  return Buffer.concat(chunks).toString()
}

const magic = [0x28, 0xb5, 0x2f, 0xfd]
/** A frame with a window of 1 KiB, and blocks of one byte that is repeated 128 KiB times. */
const repeats = (count: number): Buffer => {
  const block = (isLast: number): readonly number[] => {
    const head = isLast | (1 << 1) | ((128 * 1024) << 3)
    return [head & 255, (head >> 8) & 255, head >> 16, 0x30]
  }
  const blocks = Array.from({ length: count }, (_, at) => block(at === count - 1 ? 1 : 0))
  return Buffer.from([...magic, 0, 0x50, ...blocks.flat()])
}

/** The words that the fixture was made of, by `zstd -19`. */
function words(): string {
  const known = 'the file line tool call model answer reads writes of a and gateway stream'.split(' ')
  let x = 7n
  return Array.from({ length: 3000 }, () => {
    x = (x * 1103515245n + 12345n) % 2147483648n
    return known[Number(x % 14n)]
  }).join(' ')
}

const fixture = [
  'KLUv/QBoNUEAIoUOEbCpA4crcG3OSmzJjWEAyVQF///hbCQrUOB2yqWwod4NeojZZFmQqtlQpnDuWUBTZCqda1dE18ryEYQFqKM/',
  'yf51MyAQAAGCAwUkKrlUfiMQQIJAkBGgINARLE4BsABKPMFkFVp2A3IT1R1Shl+JITP5+fSmDYITtPsquBwRZOeZtZIRxuPIKzT9',
  'dxwjgp0OXAfSaSo5KIrGdhJXLEBmp8fPsXBbDwTxabSLrBDjMbxBSt80CUbWjA4vwt2yWI/Piop/dG/mCq0j6BBo2FzVr2xx4l+f',
  'swByjdl19E/elOeg4IwVRMjxjwpHSUYHBKFRT/beppSVyz2IE9BLSI7WqrjxiVyVDKU0jNoExiAqp5XFeAv2GAbKq/570gaxPUPu',
  'DCmqjNwmA+1T9GOaY/NhBiJHlyLbwolKvbszGXPlJhfWWoaNzHDu5iiScnzb3kkw7CRLj4YhxZ8o0xwLJ2hkj4e3TI4bN9fJgZ3I',
  'ftOKwKOxjKK5Hf7b0v+8f5Lu14DB1voe+zbBwd4fdKiu8JjlmKiSLpOdpQYLmqkH4K6Si4wvaOzQl9kJFIriUoEKJyTgV/kOmQLW',
  'gFKgwRJcR3fOKIwDPun0fzaDGm/iJMTUC+l+Qs/oOPXrgCBp/DywXM76Huu0s8G4Phb7wE2J3AtcQQboaICftqMDJSezHqIXsrAO',
  'aTtQa6VImwdBS5tXg/smXzJfBsoyCkt4pXCP6cpdzU9Vy3TjEQUD3alQHnpFc/gtvPfCe+nv4bUsNKUW46+q3GsaBOLhPTpeIUOp',
  'TSliPq06hoeCedwl2PGelXVFqEYphZRS54bNCuA9ThzTJjjMcIeXrC5H8WPsPyfS16SGmkg9bUVqEUXcTOPboIjNE/JZE1DEKLxp',
  'u5aDFiaH/0boKpuB0YyNWFo3PoY6W5r0n7xKCTmbSqrHE35BbAior8NKQPVZZqGiFC14pmh9pmnjA3wt8DAFT9s9vOMcoFdTYklD',
  'M+peZvKuziexxPAujNrd+E200hiBIUhHT5RLeqqoE4puDOGBPxlSTESvNBQFaBWtnYVACs79b4GBghB3ud6Q9YW6TN2eWUe00dwS',
  '4hcdcvwtP1NkXjomjHwt+S8izDJmdtL70Ks17UcoLaz6TdP3aoyVMwQ/xzMSaB8NCZblZLJ+OQ5kqfxTQS9DlSzzE8T1+9dzdtRj',
  '+Era1lgD17qakur5IXcIMIN1PadrKy9sOTZ2qQgqdNUDJB0myr3w9U5zPCqMapO9aZUr6Cjvd8d0Qg/n+QPC8ucu+5EuughsXGAv',
  'xVAq0XluHdxIEBEM/l/jfBBlRRR5p6O+ZlwCFq5y4D4F1OwaqGOzbmhFBz2s95SCzLJS1nj0T/qZzW3x8wLt+/FBg5Zj5ruWrRTO',
  'xtXf2Yre8+DgCtmbr0F5NZUb7eLVdh8pI0lt2XaJP/vHr9D3hfngsFmslzH/RhjT3NejfkgNWSzt/L7dU3InqhF3LRoMdpgNIhMR',
  'YM4eeHO+Y4YgqoJnwKI+0gA4H1aG/SUQ0Fn0cHOX6kkfjJCALWQqkVjJjOPS1bXAfQdRH5tLcMqeD3fPJQUOyaHLj81fwAkBRzWL',
  'dNSYmSlvf9r3DtZwAWUaOBzwpBK3p4KKO7m4p+dSk+yOHoNVkxap6fpv8b58XV8nYMfHRXV7giTIAb3//iu0a3GjABNYLmFgDQaM',
  'RupgDD3q0mcdxoOD29QQHWZWpi6i0zPWUTTzv97L/gOC69tjiT+GXyiS8kxk8QwACQukcvidai7QmfrdmA0OTGC9jyw+4C9w0Op4',
  '0S9AwoHWFaY2T6mmHXRw8FnB1ygVNS5OJ+AGrsIM2feAK3HX2CnF4vahkJ/o1+pVfN1RL4R4Iq1NPIXa9mzFl3Qs3sJefIOoTIVd',
  'Wt+mP7ySne92TVSxsFhGZ+u46doMCtlrxG110MD91Wy8Qp0bnjwkGyNM0GfoHcQFIwVz7sEg5O4+XSF7PuLIk/AhPfH8Vuq/hzOQ',
  'TicTTmXNjIECkLyP1PA0KMHibRvu5UPDX+HBbEC+LY4NXwAo28tT9l40zKnSeRYM56oKG04l1rnJDty0qs2EmNZk7UhmqsKCcSh5',
  'nzd5kHwKASAl/4WaQK7nw+Rn0ns4lpFaSiOak2w3xBroLoNdOXDo8GRiNoHnh1UG4hIc8cqQniIMGpYtT4I5KcXiyzOBagjrHmYm',
  '6W0vesxqNPRVR3kstj3j0ijpvzDrNsX/+uKXslBB238R011jluQZQOKzqd1eqbBcs/FACkeyWAdcHwUmi+vtkDS95BGX0Bkfgfxd',
  'rntjmZtasUHCak9fH+wTzTN82jtoH9ozLk8RCVNo4lr/RegrXmXZ8JzWjN1IL1bXF3DgoGXTq94bYetMneWgrzV+EpNwV+nfbMSq',
  'N02F0NVYd8EShzRuFdt5tJMvPTzsn8U2nNz5snKFvMjYJerRxw5CWvxUQ1M/RJqOVfZMMGsgEymxB3klJcamKt1lhToENwCuxxA6',
  'Uz6P4lb5h5CfNUNlniA8Fpl6ETMxLHsCwObtqRHgYXMsUhJUFypdn3FfujLsQYa9RT4DDo3cgCjwoCQO/mJvKAC3DQCgD7lByOlo',
  'hbCeOHOlZ2SBwKhLOd97gD+tQsDE6plBBPqvil32fBySzG+CiGU34HsPyUP2rupjD9i7VFwV9kh0bmaodb4ldy/GbliDsTzI5jue',
  'hB12CexOiDVpe+TAW0qYfMm6t6JR8AIRbVY0pkZQBvV3WsKAAOXA3RXGx6Q7jl2LM3B8VYOhwB/tRoEvMvMu3qGzHaV1Aw==',
].join('')

test('A body of the real encoder comes out as it was.', async () => {
  expect(await decoded(Buffer.from(fixture, 'base64'))).toBe(words())
})

test('Several frames with checksums are one body, and what is to be skipped is skipped.', async () => {
  const two = Buffer.from('KLUv/QRYKQAAeyJhIjq+OIMeKLUv/QRYEQAAMX3U0H7j', 'base64')
  const skipped = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 9, 9])
  expect(await decoded(Buffer.concat([skipped, two, skipped]))).toBe('{"a":1}')
})

test('What comes out is told piece by piece, and stops when nobody wants more of it.', async () => {
  const lengths: number[] = []
  const stop = new Error('enough')
  const stopped = decodeZstd(repeats(1000), ({ length }) => {
    lengths.push(length)
    if (lengths.length === 5) throw stop
  })
  await expect(stopped).rejects.toBe(stop)
  expect(Math.max(...lengths)).toBeLessThanOrEqual(128 * 1024)
  expect(lengths).toHaveLength(5)
})

test('Others get their turn while a long body is decoded.', async () => {
  const turns = await turnsDuring(() => decodeZstd(repeats(400), () => {}))
  expect(turns).toBeGreaterThan(100)
})

test('A frame that wants a large window, or a dictionary, is refused before it gets one.', async () => {
  const window = Buffer.from([...magic, 0, 0xa0, 1, 0, 0])
  const size = Buffer.from([...magic, 0xe0, 0, 0, 0, 0x70, 0, 0, 0, 0, 1, 0, 0])
  const dictionary = Buffer.from([...magic, 0x21, 7, 0, 1, 0, 0])
  for (const frame of [window, size, dictionary]) await expect(decoded(frame)).rejects.toThrow('too much')
})

test('A body that is cut anywhere is refused.', async () => {
  const whole = Buffer.from(fixture, 'base64')
  for (let end = 1; end < whole.length; end += 7)
    await expect(decoded(whole.subarray(0, end)), String(end)).rejects.toThrow()
})

test('A body of very many short blocks, frames or gaps is refused, since each takes more than its bytes.', async () => {
  const ofBlocks = (window: number, block: readonly number[], count: number): Buffer =>
    Buffer.concat([Buffer.from([...magic, 0, window]), ...Array<Buffer>(count).fill(Buffer.from(block))])
  const empty = [0, 0, 0]
  const byte = [8, 0, 0, 0x30]
  const frame = [...magic, 0, 0x50, 1, 0, 0]
  const gap = [0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]
  const many = (bytes: readonly number[]): Buffer =>
    Buffer.concat(Array<Buffer>(300).fill(Buffer.from(bytes)))
  for (const body of [ofBlocks(0x50, empty, 20_000), ofBlocks(0x50, byte, 20_000), many(frame), many(gap)])
    await expect(decoded(body)).rejects.toThrow('short blocks')
  // The longer the window, the more each block takes.
  await expect(decoded(ofBlocks(0x68, byte, 2_100))).rejects.toThrow('short blocks')
  expect(await decoded(Buffer.concat([ofBlocks(0x50, byte, 10_000), Buffer.from([1, 0, 0])]))).toHaveLength(
    10_000,
  )
})
