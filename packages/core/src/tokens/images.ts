/**
 * What an image costs by the rules that providers publish (`presets/models.ts`), and how large it is: PNG, GIF, JPEG and
 * WebP tell their size in their first bytes. Where the size cannot be seen, an image of 1024 by 1024 is assumed.
 */
import type { ImagePart } from '../model/conversation.ts'
import type { ImageRule } from '../presets/models.ts'
import { imageRules, usualImageRule } from '../presets/models.ts'
import type { TokenFraming } from '../wires/define-wire.ts'
import { longestMatch } from './model-limits.ts'

const assumed: ImageSize = { width: 1024, height: 1024 }

/** `known`: whether the image's size could be seen. */
export function imageTokens(
  image: ImagePart,
  model: string | undefined,
  framing: TokenFraming,
): { tokens: number; known: boolean } {
  const rule =
    framing.images === 'area' ? { by: 'area' as const } : (longestMatch(model, imageRules) ?? usualImageRule)
  if (rule.by === 'tiles' && image.detail === 'low') return { tokens: rule.base, known: true }
  const size = image.source.type === 'data' ? imageSizeOf(image.source.data) : undefined
  return { tokens: byRule(rule, size ?? assumed), known: size !== undefined }
}

function byRule(rule: ImageRule, size: ImageSize): number {
  switch (rule.by) {
    case 'tiles':
      return rule.base + rule.tile * tilesOf(size)
    case 'patches':
      return Math.ceil(patchesOf(size) * rule.factor)
    case 'area':
      return areaTokens(size)
  }
}

/** Fitted into 2048 by 2048, then shrunk until the shorter side is 768; small images stay small. */
function tilesOf(size: ImageSize): number {
  const fitted = shrink(size, 2048 / Math.max(size.width, size.height))
  const { width, height } = shrink(fitted, 768 / Math.min(fitted.width, fitted.height))
  return Math.ceil(width / 512) * Math.ceil(height / 512)
}

/** At most 1536 patches: a larger image is shrunk to fit. */
function patchesOf({ width, height }: ImageSize): number {
  return Math.min(1536, Math.ceil(width / 32) * Math.ceil(height / 32))
}

/** The longer side is brought down to 1568 pixels, and no image costs more than about 1600 tokens. */
function areaTokens(size: ImageSize): number {
  const { width, height } = shrink(size, 1568 / Math.max(size.width, size.height))
  return Math.min(1600, Math.ceil((width * height) / 750))
}

function shrink({ width, height }: ImageSize, factor: number): ImageSize {
  // Rounded: what is left of the division must not open another tile.
  const by = Math.min(1, factor)
  return { width: Math.round(width * by), height: Math.round(height * by) }
}

export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** JPEG may have a thumbnail before its size; no more bytes than these are read. */
const bytesToRead = 65536

export function imageSizeOf(base64: string): ImageSize | undefined {
  const bytes = decodeStart(base64)
  const size = pngSize(bytes) ?? gifSize(bytes) ?? webpSize(bytes) ?? jpegSize(bytes)
  return size !== undefined && size.width > 0 && size.height > 0 ? size : undefined
}

function decodeStart(base64: string): number[] {
  const bytes: number[] = []
  let bits = 0
  let held = 0
  for (let at = 0; at < base64.length && bytes.length < bytesToRead; at++) {
    const value = sextet(base64.charCodeAt(at))
    if (value < 0) continue
    held = ((held << 6) | value) & 0xffffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes.push((held >> bits) & 0xff)
  }
  return bytes
}

function sextet(code: number): number {
  if (code >= 65 && code <= 90) return code - 65
  if (code >= 97 && code <= 122) return code - 71
  if (code >= 48 && code <= 57) return code + 4
  if (code === 43 || code === 45) return 62
  return code === 47 || code === 95 ? 63 : -1
}

function begins(bytes: readonly number[], at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false
  return true
}

const byte = (bytes: readonly number[], at: number): number => bytes[at] ?? 0
const big16 = (bytes: readonly number[], at: number): number => byte(bytes, at) * 256 + byte(bytes, at + 1)
const little16 = (bytes: readonly number[], at: number): number => byte(bytes, at) + byte(bytes, at + 1) * 256

function pngSize(bytes: readonly number[]): ImageSize | undefined {
  if (!begins(bytes, 0, '\x89PNG') || !begins(bytes, 12, 'IHDR')) return undefined
  const at = (offset: number): number => big16(bytes, offset) * 65536 + big16(bytes, offset + 2)
  return { width: at(16), height: at(20) }
}

function gifSize(bytes: readonly number[]): ImageSize | undefined {
  return begins(bytes, 0, 'GIF8') ? { width: little16(bytes, 6), height: little16(bytes, 8) } : undefined
}

function webpSize(bytes: readonly number[]): ImageSize | undefined {
  if (!begins(bytes, 0, 'RIFF') || !begins(bytes, 8, 'WEBP')) return undefined
  if (begins(bytes, 12, 'VP8X')) {
    const at = (offset: number): number => little16(bytes, offset) + byte(bytes, offset + 2) * 65536 + 1
    return { width: at(24), height: at(27) }
  }
  if (begins(bytes, 12, 'VP8L')) {
    const [a, b, c, d] = [21, 22, 23, 24].map(at => byte(bytes, at)) as [number, number, number, number]
    return { width: 1 + a + ((b & 0x3f) << 8), height: 1 + (b >> 6) + (c << 2) + ((d & 0x0f) << 10) }
  }
  if (!begins(bytes, 12, 'VP8 ')) return undefined
  return { width: little16(bytes, 26) & 0x3fff, height: little16(bytes, 28) & 0x3fff }
}

/** Walks from segment to segment until the one that opens the frame. */
function jpegSize(bytes: readonly number[]): ImageSize | undefined {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  let at = 2
  while (at + 8 < bytes.length) {
    if (bytes[at] !== 0xff) return undefined
    const marker = byte(bytes, at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: big16(bytes, at + 5), width: big16(bytes, at + 7) }
    // Fill bytes and markers without content have no length.
    const bare = marker === 0xff || (marker >= 0xd0 && marker <= 0xd8)
    at += bare ? (marker === 0xff ? 1 : 2) : 2 + Math.max(2, big16(bytes, at + 2))
  }
  return undefined
}
