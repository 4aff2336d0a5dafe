/** A model that returns neutral answers in sequence and records the requests it received. */
import type { Answer } from '../../packages/core/src/model/answer.ts'
import type { CallPart, Part, Turn } from '../../packages/core/src/model/conversation.ts'
import type { Request } from '../../packages/core/src/model/request.ts'
import type { FunctionTool } from '../../packages/core/src/model/tool.ts'
import type { ModelPort } from '../../packages/core/src/runtime/conversation/model-port.ts'

export interface StepModel extends ModelPort {
  readonly requests: Request[]
}

export type StepAnswer = Answer | Error | ((request: Request) => Answer)

export function stepModel(...script: readonly StepAnswer[]): StepModel {
  const requests: Request[] = []
  return {
    requests,
    async ask(request) {
      const said = script[requests.length]
      requests.push(request)
      if (said === undefined) throw new Error('The script has no more answers.')
      if (said instanceof Error) throw said
      return { answer: typeof said === 'function' ? said(request) : said, body: {}, diagnostics: [] }
    },
  }
}

export function answerOf(parts: readonly Part[], more: Partial<Answer> = {}): Answer {
  const turn: Turn = { role: 'assistant', parts, root: [] }
  return { turns: [turn], finish: { reason: 'stop' }, ...more }
}

/** A call with these arguments; a string is used as the input itself. */
export function callPart(name: string, args: unknown, more: Partial<CallPart> = {}): CallPart {
  const input = typeof args === 'string' ? args : JSON.stringify(args)
  return { kind: 'call', form: 'function', id: 'call_a', name, input, path: [], ...more }
}

export function callOf(name: string, args: unknown, more: Partial<Answer> = {}): Answer {
  return answerOf([callPart(name, args)], more)
}

export function textOf(text: string, more: Partial<Answer> = {}): Answer {
  return answerOf([{ kind: 'text', text, path: [] }], more)
}

export function toolOf(request: Request | undefined): FunctionTool {
  const tool = request?.tools.tools?.[0]
  if (tool?.kind !== 'function') throw new Error('The request has no function tool.')
  return tool
}

/** The conversation as one line per part, for assertions. */
export function transcriptOf(request: Request | undefined): string[] {
  return (request?.turns ?? []).flatMap(({ role, parts }) => parts.map(part => `${role}: ${shown(part)}`))
}

function shown(part: Part): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'call':
      return `${part.id} ${part.name}(${part.input})`
    case 'result':
      return `${part.callId}${part.isError ? ' failed' : ''}: ${part.content.map(shown).join('')}`
    default:
      return part.kind
  }
}
