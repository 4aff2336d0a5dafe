/**
 * What an image costs, by the rules the providers publish: OpenAI's tiles of 512 pixels and patches of 32, and
 * Anthropic's pixels by 750. Where the size cannot be seen, an image of 1024 by 1024 is assumed.
 * As of November 2026; a model that is not listed is taken as the usual one of its wire.
 */
import type { ImagePart } from '../model/conversation.ts'
import type { TokenFraming } from '../wires/define-wire.ts'
import { type ImageSize, imageSizeOf } from './image-size.ts'
import { longestMatch } from './model-limits.ts'

type Rule =
  | { readonly by: 'tiles'; readonly base: number; readonly tile: number }
  | { readonly by: 'patches'; readonly factor: number }
  | { readonly by: 'area' }

const usual: Rule = { by: 'tiles', base: 85, tile: 170 }

const rules: { readonly [model: string]: Rule } = {
  'gpt-4o': usual,
  'gpt-4o-mini': { by: 'tiles', base: 2833, tile: 5667 },
  'gpt-4.1': usual,
  'gpt-4.1-mini': { by: 'patches', factor: 1.62 },
  'gpt-4.1-nano': { by: 'patches', factor: 2.46 },
  'gpt-4.5': usual,
  'gpt-5': { by: 'tiles', base: 70, tile: 140 },
  'gpt-5-mini': { by: 'patches', factor: 1.62 },
  'gpt-5-nano': { by: 'patches', factor: 2.46 },
  o1: { by: 'tiles', base: 75, tile: 150 },
  o3: { by: 'tiles', base: 75, tile: 150 },
  'o4-mini': { by: 'patches', factor: 1.72 },
}

const assumed: ImageSize = { width: 1024, height: 1024 }

/** `known`: whether the image's size could be seen. */
export function imageTokens(
  image: ImagePart,
  model: string | undefined,
  framing: TokenFraming,
): { tokens: number; known: boolean } {
  const rule =
    framing.images === 'area' ? { by: 'area' as const } : (longestMatch(model, rules, isRule) ?? usual)
  if (rule.by === 'tiles' && image.detail === 'low') return { tokens: rule.base, known: true }
  const size = image.source.type === 'data' ? imageSizeOf(image.source.data) : undefined
  return { tokens: byRule(rule, size ?? assumed), known: size !== undefined }
}

function isRule(value: unknown): value is Rule {
  return typeof value === 'object' && value !== null
}

function byRule(rule: Rule, size: ImageSize): number {
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
