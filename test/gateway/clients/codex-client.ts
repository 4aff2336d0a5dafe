/** A client with the habits of Codex: what it sends, what it understands, and what it gives up at. */
import type { Json } from './codex-tools.ts'
import { additional, customs, declared, found, functions } from './codex-tools.ts'

export const headers: Readonly<Record<string, string>> = {
  'session-id': 'a1',
  'thread-id': 'a1',
  'x-client-request-id': 'a1',
  'x-codex-window-id': 'a1:0',
  'x-codex-turn-metadata': '{"turn_id":"t1"}',
  'x-codex-beta-features': 'remote_compaction_v2',
  originator: 'codex_exec',
}

export type Tools = 'tools' | 'additional_tools'

export interface Codex {
  /** One turn of the user, to the model's last words. */
  turn(text: string): Promise<string>
  /** Everything that was said, as it is sent again with every request. */
  readonly items: readonly Json[]
}

export function startCodex(url: string, fetch: typeof globalThis.fetch, tools: Tools): Codex {
  let ids = 0
  const withId = (prefix: string, item: Json): Json => ({ ...item, id: `${prefix}_client${ids++}` })
  const message = (role: string, text: string): Json =>
    withId('msg', { type: 'message', role, content: [{ type: 'input_text', text }] })
  const items: Json[] = [
    message('developer', 'You are a careful programmer.'),
    message('user', '<cwd>/src</cwd>'),
  ]
  if (tools === 'additional_tools')
    items.unshift({ type: 'additional_tools', role: 'developer', tools: additional })

  const request = async (): Promise<readonly Json[]> => {
    const answer = await fetch(url, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'text/event-stream',
        authorization: 'Bearer the key of the client',
      },
      body: JSON.stringify({
        model: 'gpt-oss:20b',
        stream: true,
        store: false,
        input: items,
        ...(tools === 'tools' && { tools: declared }),
        tool_choice: 'auto',
        parallel_tool_calls: true,
        reasoning: { effort: 'medium', summary: 'auto' },
        include: ['reasoning.encrypted_content'],
        prompt_cache_key: 'a1',
        text: { verbosity: 'low' },
        client_metadata: { 'x-codex-installation-id': 'b2' },
      }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} ${text}`)
    return doneItems(text)
  }

  return {
    items,
    async turn(text) {
      items.push(message('user', text))
      for (let round = 0; round < 10; round++) {
        const given = await request()
        items.push(...given)
        const results = given.flatMap(item => run(item, withId))
        items.push(...results)
        if (results.length === 0) return wordsOf(given)
      }
      throw new Error('The loop has no end.')
    },
  }
}

/** Codex believes the items that are done, and no stream that ends before its response. */
function doneItems(stream: string): Json[] {
  const events = stream.split('\n\n').flatMap(block => {
    const lines = block.split('\n')
    const data = lines.find(line => line.startsWith('data: '))?.slice(6)
    if (data === undefined || data === '[DONE]') return []
    const event = JSON.parse(data) as { type: string; item?: Json }
    if (!lines.includes(`event: ${event.type}`)) throw new Error(`An event lacks its name: ${block}`)
    return [event]
  })
  if (!events.some(({ type }) => type === 'response.completed'))
    throw new Error('stream closed before response.completed')
  return events.flatMap(({ type, item }) =>
    type === 'response.output_item.done' && item !== undefined ? [item] : [],
  )
}

/** The item that answers a call. Payloads that do not fit the kind of tool are fatal. */
function run(item: Json, withId: (prefix: string, item: Json) => Json): Json[] {
  const { type, call_id, name, namespace } = item as Record<string, string | undefined>
  const key = namespace === undefined ? `${name}` : `${namespace}/${name}`
  switch (type) {
    case 'function_call': {
      if (key === 'tool_search' || key in customs) throw new Error(`${key} invoked with incompatible payload`)
      const tool = functions[key]
      const output = tool?.(JSON.parse(String(item.arguments))) ?? `unsupported call: ${key}`
      return [withId('fco', { type: 'function_call_output', call_id, output })]
    }
    case 'custom_tool_call': {
      const output = customs[key]?.(String(item.input)) ?? `unsupported custom tool call: ${key}`
      return [withId('ctco', { type: 'custom_tool_call_output', call_id, output })]
    }
    case 'tool_search_call': {
      if (item.execution !== 'client' || typeof item.arguments !== 'object')
        throw new Error('tool_search invoked with incompatible payload')
      const output = { type: 'tool_search_output', call_id, execution: 'client', status: 'completed' }
      return [withId('tso', { ...output, tools: [found] })]
    }
    default:
      return []
  }
}

function wordsOf(items: readonly Json[]): string {
  return items
    .flatMap(({ type, content }) => (type === 'message' ? (content as { text: string }[]) : []))
    .map(({ text }) => text)
    .join('')
}
