/**
 * A model that tells what it was sent: the marks of all questions in the history, in their order, and how many turns there
 * are. It counts how often each question was asked, because nothing may run twice.
 */
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

export interface EchoUpstream {
  readonly url: string
  /** How often the question with this mark was the last one of a request. */
  timesAsked(mark: string): number
  stop(): Promise<void>
}

const markIn = /\bq\d+-\d+\b/

/** What it answers to a history of these questions. */
export function answerTo(marks: readonly string[]): string {
  return `I saw ${marks.join(' ')} in ${2 * marks.length - 1} turns.`
}

export async function startUpstream(): Promise<EchoUpstream> {
  const asked = new Map<string, number>()
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', chunk => {
      body += String(chunk)
    })
    request.once('end', () => void answer(body, response, asked).catch(() => response.destroy()))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    timesAsked: mark => asked.get(mark) ?? 0,
    async stop() {
      server.closeAllConnections()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}

interface Sent {
  readonly stream?: boolean
  readonly messages?: readonly { readonly role: string; readonly content: unknown }[]
}

async function answer(body: string, response: ServerResponse, asked: Map<string, number>): Promise<void> {
  const { stream = false, messages = [] } = JSON.parse(body || '{}') as Sent
  const marks = messages.flatMap(({ role, content }) => (role === 'user' ? [markOf(content)] : []))
  const last = marks.at(-1) ?? ''
  asked.set(last, (asked.get(last) ?? 0) + 1)
  const text = `I saw ${marks.join(' ')} in ${messages.length} turns.`
  const about = { id: 'chatcmpl-1', created: 1, model: 'm' }
  // Long enough that somebody is always under way when a process is killed.
  const steps = text.match(/.{1,9}/gs) ?? []
  if (!stream) {
    await pause(15 * steps.length)
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: text } }]
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ ...about, object: 'chat.completion', choices, usage }))
    return
  }
  response.setHeader('content-type', 'text/event-stream')
  const send = (delta: object, finish: string | null): void => {
    const choices = [{ index: 0, delta, finish_reason: finish }]
    response.write(`data: ${JSON.stringify({ ...about, object: 'chat.completion.chunk', choices })}\n\n`)
  }
  for (const content of steps) {
    if (response.destroyed) return
    send({ role: 'assistant', content }, null)
    await pause(15)
  }
  send({}, 'stop')
  response.end('data: [DONE]\n\n')
}

function markOf(content: unknown): string {
  return markIn.exec(typeof content === 'string' ? content : JSON.stringify(content))?.[0] ?? '?'
}
