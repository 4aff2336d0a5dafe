/**
 * Cache breakpoints for a server that caches only up to them, where the client set none: behind the tools, behind the
 * instructions, and behind the last two turns of the user, so that the next request finds what this one wrote.
 */
import type { CacheBreakpoint, Part, Turn } from '../../model/conversation.ts'
import type { Request } from '../../model/request.ts'
import type { Tool } from '../../model/tool.ts'
import { isCallable } from '../../model/tool.ts'
import type { AdaptContext } from './context.ts'
import { withTools, withTurns } from './context.ts'

export function addCacheBreakpoints(request: Request, context: AdaptContext): Request {
  const { profile, isNative, origin, report } = context
  const { turns, tools, settings } = request
  const { cachesOnRequest, cacheBreakpoints: most } = profile
  // Whoever says how to cache has said it all, and nobody reads what is written for a request that stands alone.
  if (isNative || origin === undefined || !cachesOnRequest || most < 1) return request
  if (settings.promptCacheMode !== undefined) return request
  if (!(tools.tools?.length || turns.some(({ role }) => role === 'assistant'))) return request
  if (turns.some(({ parts }) => parts.some(hasBreakpoint))) return request
  const ends = endsOf(turns).slice(-most)
  const marked = turns.slice()
  for (const end of ends) marked[end.turn] = withMark(turns[end.turn] as Turn, end.part)
  const list = tools.tools ?? []
  const last = list.at(-1)
  const canMarkTool = ends.length < most && last !== undefined && canEndTools(last)
  if (ends.length === 0 && !canMarkTool) return request
  report('cache_breakpoints_added', [], 'The client set no cache breakpoints; the usual ones were set.')
  const added = withTurns(request, marked)
  return canMarkTool ? withTools(added, [...list.slice(0, -1), { ...last, cache: breakpoint }]) : added
}

const breakpoint: CacheBreakpoint = { path: [] }

function hasBreakpoint(part: Part): boolean {
  return part.cache !== undefined || (part.kind === 'result' && part.content.some(hasBreakpoint))
}

/** The ends of the last turn with instructions and of the last two that the model answers, in the order of the prompt. */
function endsOf(turns: readonly Turn[]): { turn: number; part: number }[] {
  const ends: { turn: number; part: number }[] = []
  const addLast = (most: number, isSought: (turn: Turn) => boolean): void => {
    for (let at = turns.length - 1, count = 0; at >= 0 && count < most; at--) {
      const turn = turns[at]
      const part = turn !== undefined && isSought(turn) ? endOf(turn) : -1
      if (part < 0) continue
      ends.unshift({ turn: at, part })
      count++
    }
  }
  addLast(2, ({ instructions, role }) => instructions !== true && role !== 'assistant')
  addLast(1, ({ instructions }) => instructions === true)
  return ends
}

/** The last part that can carry a mark. Servers refuse one on an empty text. */
function endOf({ parts }: Turn): number {
  return parts.findLastIndex(part =>
    part.kind === 'text'
      ? part.text.trim() !== ''
      : part.kind === 'image' || part.kind === 'file' || part.kind === 'result',
  )
}

function withMark(turn: Turn, at: number): Turn {
  const parts = turn.parts.slice()
  parts[at] = { ...(turn.parts[at] as Part), cache: breakpoint }
  return { ...turn, parts }
}

/** Servers refuse a mark on a tool that waits for a search. */
function canEndTools(tool: Tool): boolean {
  return isCallable(tool) && tool.deferLoading !== true
}
