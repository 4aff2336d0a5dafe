/** The request of an exchange for other programs. Keys are never in it: they are variables. */
import type { Trace } from '../../../toolwire/src/telemetry/trace-document.ts'

export interface SentRequest {
  readonly path: string
  readonly body: unknown
  readonly text: string
}

/** `undefined` where the request was not kept in full. */
export function sentRequest({ views }: Trace): SentRequest | undefined {
  const part = views['client-request']?.parts[0]
  if (part === undefined || part.cut) return undefined
  const [, path = '/'] = (part.line ?? '').split(' ')
  // A trace may come from a file: what is sent again goes to a model, not to a route that does something else.
  if (!/^\/(?!\/|toolwire\/)[^\s@\\]*$/.test(path)) return undefined
  try {
    return { path, body: JSON.parse(part.text), text: part.text }
  } catch {
    return undefined
  }
}

export const snippetNames = {
  curl: 'curl',
  openai: 'openai-node',
  anthropic: '@anthropic-ai/sdk',
  fetch: 'fetch',
}
export type SnippetName = keyof typeof snippetNames

export function snippet(
  name: SnippetName,
  { path, body, text }: SentRequest,
  origin: string,
): string | undefined {
  const json = JSON.stringify(body, null, 2)
  switch (name) {
    case 'curl':
      return `curl -sS ${quoted(origin + path)} \\\n  -H 'content-type: application/json' \\\n  -H "authorization: Bearer $TOOLWIRE_KEY" \\\n  --data-raw ${quoted(text)}`
    case 'fetch':
      return `const response = await fetch(${JSON.stringify(origin + path)}, {\n  method: 'POST',\n  headers: {\n    'content-type': 'application/json',\n    authorization: \`Bearer \${process.env.TOOLWIRE_KEY}\`,\n  },\n  body: JSON.stringify(${json}),\n})`
    case 'openai': {
      const method = openaiMethods.find(([end]) => path.endsWith(end))?.[1]
      if (method === undefined) return undefined
      return `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: ${JSON.stringify(`${origin}/v1`)}, apiKey: process.env.TOOLWIRE_KEY })\nconst answer = await client.${method}(${json})`
    }
    case 'anthropic':
      if (!path.endsWith('/messages')) return undefined
      return `import Anthropic from '@anthropic-ai/sdk'\n\nconst client = new Anthropic({ baseURL: ${JSON.stringify(origin)}, apiKey: process.env.TOOLWIRE_KEY })\nconst answer = await client.messages.create(${json})`
  }
}

const openaiMethods = [
  ['/chat/completions', 'chat.completions.create'],
  ['/responses', 'responses.create'],
] as const

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
