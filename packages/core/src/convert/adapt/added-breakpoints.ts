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
  const ends = new Set(endsOf(turns).slice(-most))
  const marked = withTurns(
    request,
    turns.map(turn => (ends.has(turn) ? markEnd(turn) : turn)),
  )
  const list = tools.tools ?? []
  const last = list.at(-1)
  const canMarkTool = ends.size < most && last !== undefined && canEndTools(last)
  if (ends.size === 0 && !canMarkTool) return request
  report('cache_breakpoints_added', [], 'The client set no cache breakpoints; the usual ones were set.')
  return canMarkTool ? withTools(marked, [...list.slice(0, -1), { ...last, cache: breakpoint }]) : marked
}

const breakpoint: CacheBreakpoint = { path: [] }

function hasBreakpoint(part: Part): boolean {
  return part.cache !== undefined || (part.kind === 'result' && part.content.some(hasBreakpoint))
}

/** The last turn with instructions and the last two that the model answers, in the order of the prompt. */
function endsOf(turns: readonly Turn[]): readonly Turn[] {
  const canEnd = (turn: Turn): boolean => endOf(turn) >= 0
  const instructions = turns.filter(turn => turn.instructions && canEnd(turn))
  const asked = turns.filter(turn => !turn.instructions && turn.role !== 'assistant' && canEnd(turn))
  return [...instructions.slice(-1), ...asked.slice(-2)]
}

/** The last part that can carry a mark. Servers refuse one on an empty text. */
function endOf({ parts }: Turn): number {
  return parts.findLastIndex(part =>
    part.kind === 'text'
      ? part.text.trim() !== ''
      : part.kind === 'image' || part.kind === 'file' || part.kind === 'result',
  )
}

function markEnd(turn: Turn): Turn {
  const at = endOf(turn)
  const parts = turn.parts.map((part, index) => (index === at ? { ...part, cache: breakpoint } : part))
  return { ...turn, parts }
}

/** Servers refuse a mark on a tool that waits for a search. */
function canEndTools(tool: Tool): boolean {
  return isCallable(tool) && tool.deferLoading !== true
}
