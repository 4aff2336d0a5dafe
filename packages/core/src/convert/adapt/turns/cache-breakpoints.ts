/** Carries the client's cache breakpoints to the target, as many as it takes: the last ones cover the most. */
import type { CacheBreakpoint, Part, Turn } from '../../../model/conversation.ts'
import type { Request } from '../../../model/request.ts'
import { filterResidue } from '../../../model/residue.ts'
import type { CacheMark } from '../../../wires/define-wire.ts'
import { decodeCacheMark } from '../../../wires/kit/conversation/cache-breakpoints.ts'
import { mapParts, mapShared, withParts } from '../../shared/shared-lists.ts'
import type { AdaptContext } from '../context.ts'
import { isAllNative, isNativeTurn, withTurns } from '../context.ts'

type Lifetime = CacheBreakpoint['lifetime']

export function carryCacheBreakpoints(request: Request, context: AdaptContext): Request {
  const { source, target } = context.cacheMarks
  if (source === undefined || target === undefined || isAllNative(context)) return request
  const { promptCacheMode, promptCacheTtl: ttl } = request.settings
  const { short, long } = source.lifetimes
  const shared: Lifetime = ttl?.value === long ? 'long' : ttl?.value === short ? 'short' : undefined
  const mark = inside(marked(source, shared))
  const turns = mapShared(request.turns, turn => {
    const isFixed = isNativeTurn(turn, context) || (turn.role === 'assistant' && !target.assistant)
    return isFixed ? turn : withParts(turn, mapShared(turn.parts, mark))
  })
  if (turns === request.turns) return request
  // A breakpoint that the provider sets by itself is one of those it takes.
  const isImplicit = promptCacheMode?.value === 'implicit'
  const most = Math.max(context.profiles.foreign.cacheBreakpoints - (isImplicit ? 1 : 0), 0)
  const all = breakpointsOf(turns)
  const first = Math.max(all.length - most, 0)
  for (const { path } of all.slice(0, first))
    context.report(
      'hint_dropped',
      path,
      `The target takes ${most} cache breakpoints; the last ones were sent.`,
    )
  const kept = fitted(all.slice(first), target, isImplicit ? shared : undefined)
  return withTurns(request, mapParts(turns, inside(replaced(kept))))
}

type PartStep = (part: Part) => Part

/** The step for a part and for the content of a result. */
function inside(step: PartStep): PartStep {
  return part => {
    if (part.kind !== 'result') return step(part)
    const content = mapShared(part.content, step)
    return step(content === part.content ? part : { ...part, content })
  }
}

/** Turns the mark in the residue into a breakpoint that any wire can write. */
function marked(mark: CacheMark, shared: Lifetime): PartStep {
  return part => {
    const { residue } = part
    const entry = residue?.entries.find(([path]) => path.length === 1 && path[0] === mark.key)
    if (residue === undefined || entry === undefined || !canEnd(part)) return part
    const own = decodeCacheMark(entry[1], [...residue.at, mark.key], mark)
    if (own === undefined) return part
    const cache = own.lifetime === undefined && shared !== undefined ? { ...own, lifetime: shared } : own
    return { ...part, cache, residue: filterResidue(residue, other => other !== entry) }
  }
}

function canEnd({ kind }: Part): boolean {
  return kind === 'text' || kind === 'image' || kind === 'file' || kind === 'result'
}

/** What becomes of each breakpoint that is sent; `last` is the lifetime of the one that the provider sets. */
function fitted(
  kept: readonly CacheBreakpoint[],
  { longFirst }: CacheMark,
  last: Lifetime,
): ReadonlyMap<CacheBreakpoint, CacheBreakpoint> {
  const longest = last === 'long' ? kept.length : kept.findLastIndex(({ lifetime }) => lifetime === 'long')
  return new Map(
    kept.map((cache, i) => [cache, longFirst && i < longest ? { ...cache, lifetime: 'long' } : cache]),
  )
}

function replaced(kept: ReadonlyMap<CacheBreakpoint, CacheBreakpoint>): PartStep {
  return part => {
    if (part.cache === undefined) return part
    const cache = kept.get(part.cache)
    if (cache === part.cache) return part
    const { cache: _, ...rest } = part
    return cache === undefined ? rest : { ...rest, cache }
  }
}

/** In the order of the prompt, in which instructions come first. */
function breakpointsOf(turns: readonly Turn[]): CacheBreakpoint[] {
  const found: CacheBreakpoint[] = []
  const add = ({ cache }: Part): void => {
    if (cache !== undefined) found.push(cache)
  }
  for (const isFirst of [true, false]) {
    for (const { parts, instructions = false } of turns) {
      if (instructions !== isFirst) continue
      for (const part of parts) {
        if (part.kind === 'result') part.content.forEach(add)
        add(part)
      }
    }
  }
  return found
}
