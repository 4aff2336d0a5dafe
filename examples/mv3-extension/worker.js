/**
 * The service worker: holds the conversation and runs the tools. The panel opens a port for each question and hears
 * over it what happens; when it closes the port, the answer is given up.
 */
import { runConversation } from '@toolwire/core'
import { tools } from './tools.js'
import { gateway, wires } from './wires.js'

chrome.sidePanel.setPanelBehavior({ openPanelOnActionClick: true })

chrome.runtime.onConnect.addListener(port => {
  const closed = new AbortController()
  const tell = message => closed.signal.aborted || port.postMessage(message)
  port.onDisconnect.addListener(() => closed.abort())
  port.onMessage.addListener(async question => {
    tell(await answer(question, tell, closed.signal))
    port.disconnect()
  })
})

async function answer({ text, wire, isFirst }, tell, signal) {
  const { state } = await chrome.storage.session.get('state')
  const from = isFirst || !state ? { wire, request: wires[wire].begin(text) } : { state, input: text }
  const result = await runConversation({
    ...from,
    send,
    tools,
    stream: true,
    signal,
    onEvent: event => tellEvent(event, tell),
  })
  // A service worker ends when it has nothing to do, and the conversation must not end with it.
  await chrome.storage.session.set({ state: result.state })
  const { reason, error, state: after } = result
  return { type: 'finished', reason, error: error?.message, request: after.request }
}

function send(body, { wire, signal }) {
  return fetch(gateway + wires[wire].path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
}

/** A port carries plain JSON only, so the panel is told what it shows and no more. */
function tellEvent(event, tell) {
  if (event.type === 'text-delta') tell({ type: 'text', text: event.text })
  if (event.type === 'call-started')
    tell({ type: 'call', id: event.call.id, name: event.call.name, args: event.args })
  if (event.type === 'call-finished') {
    const { call, status, content } = event.outcome
    const text = content.map(part => (part.kind === 'text' ? part.text : `[${part.kind}]`)).join('\n')
    tell({ type: 'result', id: call.id, name: call.name, status, text })
  }
}
