/** The request of an exchange for other programs. Keys are never in it: they are variables. */
import { parseJson } from '@toolwire/core/json'
import type { Trace } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { bytes } from './format.ts'

export interface SentRequest {
  readonly path: string
  readonly body: unknown
  readonly text: string
  /** What the client said of its request, without its key. */
  readonly headers: Readonly<Record<string, string>>
  /** It has the mark in it that stands for keys. Whatever is sent again, is sent with the mark. */
  readonly isMasked: boolean
}

const mask = '***'
/** The mark in the place of a key; patches of Codex and emphasis have three stars too. */
const maskPlace = /(?:^|[^*])\*{3}(?:$|[^*\w ]| (?:$|[^A-Z]))/

export function hasMask(text: string): boolean {
  return maskPlace.test(text)
}

/** What wires, sessions of agents and the gateway itself are told in headers. */
const ownHeader =
  /^(?:anthropic-|openai-|x-toolwire-(?!client$)|(?:x-)?(?:[a-z]+-)*(?:session|conversation)[-_](?:id|affinity)$|x-opencode-session$)/

/** `undefined` where it cannot be sent again; `whyNotSent` has the reason. */
export function sentRequest(trace: Trace): SentRequest | undefined {
  const read = readSent(trace)
  return 'problem' in read ? undefined : read
}

export function whyNotSent(trace: Trace): string | undefined {
  const read = readSent(trace)
  return 'problem' in read ? read.problem : undefined
}

function readSent({ views }: Trace): SentRequest | { readonly problem: string } {
  const part = views['client-request']?.parts[0]
  if (part === undefined) return { problem: 'Nothing was kept of the request' }
  const [, path = '/'] = (part.line ?? '').split(' ')
  if (part.cut) {
    return {
      problem: `Of the request, ${bytes(part.size)}, only the beginning was kept ("trace.viewBytes" in the configuration sets how much)`,
    }
  }
  // A trace may come from a file: what is sent again goes to a model, not to a route that does something else.
  if (!/^\/(?!\/|toolwire\/)[^\s@\\]*$/.test(path)) return { problem: 'Its address is none of a model' }
  const body = parseJson(part.text)
  if (body === undefined) return { problem: 'The request is no JSON' }
  const { text, headers = {} } = part
  return { path, body, text, headers: ownHeaders(headers), isMasked: hasMask(text) }
}

function ownHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name.toLowerCase(), value] as const)
      .filter(([name, value]) => ownHeader.test(name) && !value.includes(mask)),
  )
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
  { path, body, text, headers }: SentRequest,
  origin: string,
): string | undefined {
  const json = JSON.stringify(body, null, 2)
  const own = Object.entries(headers)
  const options = own.length === 0 ? '' : `, { headers: ${JSON.stringify(headers)} }`
  switch (name) {
    case 'curl': {
      const more = own.map(([key, value]) => ` \\\n  -H ${quoted(`${key}: ${value}`)}`).join('')
      return `curl -sS ${quoted(origin + path)} \\\n  -H 'content-type: application/json' \\\n  -H "authorization: Bearer $TOOLWIRE_KEY"${more} \\\n  --data-raw ${quoted(text)}`
    }
    case 'fetch': {
      const more = own
        .map(([key, value]) => `\n    ${JSON.stringify(key)}: ${JSON.stringify(value)},`)
        .join('')
      return `const response = await fetch(${JSON.stringify(origin + path)}, {\n  method: 'POST',\n  headers: {\n    'content-type': 'application/json',\n    authorization: \`Bearer \${process.env.TOOLWIRE_KEY}\`,${more}\n  },\n  body: JSON.stringify(${json.replaceAll('\n', '\n  ')}),\n})`
    }
    case 'openai': {
      const method = openaiMethods.find(([end]) => path.endsWith(end))?.[1]
      if (method === undefined) return undefined
      return `import OpenAI from 'openai'\n\nconst client = new OpenAI({ baseURL: ${JSON.stringify(`${origin}/v1`)}, apiKey: process.env.TOOLWIRE_KEY })\nconst answer = await client.${method}(${json}${options})`
    }
    case 'anthropic':
      if (!path.endsWith('/messages')) return undefined
      return `import Anthropic from '@anthropic-ai/sdk'\n\nconst client = new Anthropic({ baseURL: ${JSON.stringify(origin)}, apiKey: process.env.TOOLWIRE_KEY })\nconst answer = await client.messages.create(${json}${options})`
  }
}

const openaiMethods = [
  ['/chat/completions', 'chat.completions.create'],
  ['/responses', 'responses.create'],
] as const

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
