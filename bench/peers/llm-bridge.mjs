/**
 * llm-bridge, a library: requests between all three wires through a form of its own, streams through web streams.
 * Whole answers it does not convert.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { pairs } from '../work/wires.mjs'

const providers = { chat: 'openai', responses: 'openai-responses', messages: 'anthropic' }

/** @type {import('./library-peers.mjs').LibraryPeer} */
export const llmBridge = {
  name: 'llm-bridge',
  version: '2.0.1',
  dependencies: { 'llm-bridge': '2.0.1' },
  pairs: pairs.filter(({ from, to }) => from !== to),
  async load(folder) {
    const path = join(folder, 'node_modules/llm-bridge/dist/index.mjs')
    const { translateBetweenProviders, handleUniversalStreamRequest } = await import(pathToFileURL(path).href)
    return {
      request: ({ from, to }, body) => translateBetweenProviders(providers[from], providers[to], body),
      async stream({ from, to }, chunks) {
        const source = new ReadableStream({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(chunk)
            controller.close()
          },
        })
        const out = []
        const decoder = new TextDecoder()
        const converted = handleUniversalStreamRequest(source, providers[to], providers[from])
        for await (const chunk of converted) {
          out.push(typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true }))
        }
        return out.join('')
      },
    }
  },
}
