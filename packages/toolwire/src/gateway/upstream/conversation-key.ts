/** What tells the conversation of a request, as far as its head or one member of its body says: known clients name it. */
import type { RequestContext } from '../context.ts'

/** Headers of Codex, Claude Code, opencode, and of whoever wants to say it plainly. */
const headers: readonly string[] = [
  'session_id',
  'session-id',
  'conversation_id',
  'x-claude-code-session-id',
  'x-opencode-session',
  'x-session-affinity',
  'x-session-id',
]

export const cacheKeyName = 'prompt_cache_key'
const plain = /^"([^"\\]{1,200})"/

/** Empty when nothing tells it. Different owners never share one. `cacheKey`: the text of that member. */
export function conversationKey({ request, owner }: RequestContext, cacheKey = ''): string {
  const header = headers.map(name => request.headers[name]).find(value => value !== undefined && value !== '')
  const found = header ?? plain.exec(cacheKey)?.[1]
  return found === undefined ? '' : `${owner}\n${found}`
}
