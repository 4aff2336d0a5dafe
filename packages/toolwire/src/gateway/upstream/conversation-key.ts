/** What tells the conversation of a request, as far as its head or its first bytes say: known clients name it. */
import type { RequestContext } from '../context.ts'
import { asBuffer } from '../http/bytes.ts'

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

const named = /"prompt_cache_key"\s*:\s*"([^"\\]{1,200})"/

/** Empty when nothing tells it. Different owners never share one. */
export function conversationKey({ request, owner }: RequestContext, body: Uint8Array): string {
  const header = headers.map(name => request.headers[name]).find(value => value !== undefined && value !== '')
  const found = header ?? cacheKeyIn(body)
  return found === undefined ? '' : `${owner}\n${found}`
}

/** At the ends of a body, where clients write their settings. */
function cacheKeyIn(body: Uint8Array): string | undefined {
  const text = asBuffer(body)
  const edge = 4_096
  const first = text.subarray(0, edge).toString('latin1')
  return (named.exec(first) ?? named.exec(text.subarray(-edge).toString('latin1')))?.[1]
}
