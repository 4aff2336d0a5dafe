/**
 * @openrouter/agent, a library: histories of Chat and Messages clients to the Responses wire. Tools, settings and
 * streams it leaves to the caller.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** @type {import('./library-peers.mjs').LibraryPeer} */
export const openrouterAgent = {
  name: '@openrouter/agent',
  version: '0.8.0',
  dependencies: { '@openrouter/agent': '0.8.0' },
  pairs: [
    { from: 'chat', to: 'responses' },
    { from: 'messages', to: 'responses' },
  ],
  async load(folder) {
    const path = join(folder, 'node_modules/@openrouter/agent/esm/index.js')
    const { fromChatMessages, fromClaudeMessages } = await import(pathToFileURL(path).href)
    const convert = { chat: fromChatMessages, messages: fromClaudeMessages }
    return {
      spell: ({ from }, body) => (from === 'chat' ? respell(body, camel) : body),
      request: ({ from }, { model, messages }) => ({ model, input: convert[from](messages) }),
      read: body => respell(body, snake),
    }
  },
}

const camel = key => key.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase())
const snake = key => key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)

/** It spells keys as its own client does, `toolCallId` for `tool_call_id`. They are turned outside of what is timed. */
function respell(value, turn) {
  if (Array.isArray(value)) return value.map(inner => respell(inner, turn))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [turn(key), respell(inner, turn)]))
}
