/** Cache breakpoints: how a wire marks the end of a prefix that the provider is to cache. */
import type { JsonObject } from '../../../json/object.ts'
import { isObject, own } from '../../../json/object.ts'
import type { CacheBreakpoint, Part, ResultPart } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import type { CacheMark } from '../../define-wire.ts'

export const openaiCacheMark: CacheMark = {
  key: 'prompt_cache_breakpoint',
  mark: { mode: 'explicit' },
  lifetimes: { short: '30m', long: '12h' },
  assistant: true,
  longFirst: false,
}

/** The breakpoint that a mark sets; `undefined` if it says more than the model knows. */
export function decodeCacheMark(
  value: unknown,
  path: Path,
  { mark, lifetimes }: CacheMark,
): CacheBreakpoint | undefined {
  if (!isObject(value) || Object.keys(mark).some(key => own(value, key) !== mark[key])) return undefined
  const { ttl, ...rest } = value
  if (Object.keys(rest).length > Object.keys(mark).length) return undefined
  if (ttl === undefined) return { path }
  if (ttl === lifetimes.short) return { path, lifetime: 'short' }
  return ttl === lifetimes.long ? { path, lifetime: 'long' } : undefined
}

/** The fields that mark a part on a wire: one, or none. */
export function encodeCacheMark(
  { cache }: { readonly cache?: CacheBreakpoint },
  { key, mark, lifetimes }: CacheMark,
): JsonObject | undefined {
  if (cache === undefined) return undefined
  const { lifetime } = cache
  return { [key]: lifetime === undefined ? { ...mark } : { ...mark, ttl: lifetimes[lifetime] } }
}

/** For a part that is written where the wire has no place for the mark. */
export function reportCache({ cache }: Pick<Part, 'cache'>, report: Report): void {
  if (cache !== undefined)
    report('hint_dropped', cache.path, 'The target has no cache breakpoints here; it was left out.')
}

/** The content of a result whose wire marks only parts: the last one ends where the result ends. */
export function contentWithCache(
  result: ResultPart,
  content: readonly Part[],
  report: Report,
): readonly Part[] {
  const { cache } = result
  if (cache === undefined) return content
  const last = content.at(-1)
  if (last?.kind === 'text' || last?.kind === 'image' || last?.kind === 'file') {
    return content.with(-1, { ...last, cache })
  }
  reportCache(result, report)
  return content
}
