/** The story on each wire: definitions, requests, answers and streams as a client or a provider would write them. */
import { chat } from './chat.mjs'
import { messages } from './messages.mjs'
import { responses } from './responses.mjs'

/** @typedef {'chat' | 'responses' | 'messages'} Wire */

/**
 * @typedef {object} WireWork
 * @property {string} path where its requests are posted, after `/v1`
 * @property {(tools: import('./story.mjs').Tool[]) => object[]} tools
 * @property {(story: import('./story.mjs').Story, given: { model: string, stream?: boolean }) => object} request
 * @property {(answer: import('./story.mjs').Answer, model: string) => object} answer
 * @property {(answer: import('./story.mjs').Answer, model: string, cuts: { text: number, argument: number }) => string[]} stream
 *   whole events, each with its blank line
 * @property {(body: any) => import('./story.mjs').Answer} readAnswer
 * @property {(frames: { event?: string, data: string }[]) => import('./story.mjs').Answer & { ended: boolean }} readStream
 * @property {(body: any) => { system: string, tools: { name: string, strict: unknown }[], results: { id: string, text: string }[], calls: { id: string, name: string, args: string }[] }} readRequest
 */

/** @type {Record<Wire, WireWork>} */
export const wires = { chat, responses, messages }

/** @type {Wire[]} */
export const wireNames = ['chat', 'responses', 'messages']

/** Every ordered pair: the client's wire, then the upstream's. @type {{ from: Wire, to: Wire }[]} */
export const pairs = wireNames.flatMap(from => wireNames.map(to => ({ from, to })))
