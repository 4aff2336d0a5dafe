/** An answer: `{ reply, model, say, use, ended, tokens }`, or `{ problem }` when it failed. */

import { compact, isObject, own } from '@toolwire/core/json'
import type {
  Answer,
  AnswerContext,
  ApiError,
  Draft,
  ErrorKind,
  Finish,
  FinishReason,
  JsonObject,
  Part,
  Report,
  Usage,
} from '@toolwire/core/wires'
import { createFieldReader, reportResidue, restoreOrReport } from '@toolwire/core/wires'
import { decodeCall, encodeCall, sortParts, textPart } from './parts.ts'

const kindWords: { readonly [Kind in ErrorKind]: string } = {
  invalid_request: 'wrong',
  authentication: 'stranger',
  billing: 'unpaid',
  permission: 'forbidden',
  not_found: 'missing',
  conflict: 'clash',
  too_large: 'large',
  rate_limit: 'hasty',
  timeout: 'late',
  overloaded: 'busy',
  server: 'broken',
}

export function decodeProblem(value: unknown): ApiError {
  const problem = isObject(value) ? value : {}
  const kind = (Object.keys(kindWords) as ErrorKind[]).find(name => kindWords[name] === own(problem, 'kind'))
  const fields = createFieldReader(problem)
  return {
    kind: kind ?? 'server',
    message: fields.string('text') ?? 'The relay did not say what went wrong.',
    ...compact({ code: fields.string('code'), param: fields.string('field') }),
  }
}

export function encodeProblem({ kind, message, code, param }: ApiError): JsonObject {
  return { problem: compact({ kind: kindWords[kind], text: message, code, field: param }) }
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['done', 'stop'],
  ['use', 'calls'],
  ['cap', 'length'],
  ['blocked', 'filter'],
])

export function decodeFinish(raw: string | undefined, hasCalls: boolean): Finish {
  if (raw === undefined) return { reason: 'unfinished' }
  const reason = reasons.get(raw) ?? 'stop'
  return { reason: reason === 'stop' && hasCalls ? 'calls' : reason, raw }
}

export function encodeFinish({ reason, raw }: Finish, isOwn: boolean): string | null {
  if (isOwn && raw !== undefined) return raw
  if (reason === 'refusal') return 'blocked'
  if (reason === 'unfinished') return null
  return [...reasons].find(([, known]) => known === reason)?.[0] ?? 'done'
}

export function decodeUsage(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined
  const fields = createFieldReader(value)
  const usage: Draft<Usage> = { input: fields.number('in') ?? 0, output: fields.number('out') ?? 0 }
  const entries = fields.unread()
  if (entries.length > 0) usage.residue = { wire: 'relay', at: ['tokens'], entries }
  return usage
}

export function encodeUsage({ input, output, residue }: Usage, report: Report): JsonObject {
  const written: Record<string, unknown> = { in: input, out: output }
  restoreOrReport(written, residue, 'relay', report)
  return written
}

export function decodeAnswer(body: JsonObject): Answer {
  const fields = createFieldReader(body)
  const problem = own(body, 'problem')
  if (problem !== undefined) {
    fields.ignore('problem')
    const residue = {
      wire: 'relay',
      at: [],
      entries: fields.unread(),
      defaults: [[['problem'], problem]] as const,
    }
    return { turns: [], finish: { reason: 'failed' }, error: decodeProblem(problem), residue }
  }
  const parts: Part[] = []
  const say = fields.string('say')
  if (say !== undefined) parts.push(textPart(say, ['say']))
  fields.list('use')?.forEach((call, i) => {
    parts.push(decodeCall(call, ['use', i]))
  })
  const hasCalls = parts.some(({ kind }) => kind === 'call')
  const usage = decodeUsage(fields.object('tokens'))
  const id = fields.string('reply')
  const model = fields.string('model')
  const finish = decodeFinish(fields.string('ended'), hasCalls)
  const residue = { wire: 'relay', at: [], entries: fields.unread() }
  const turns = parts.length === 0 ? [] : [{ role: 'assistant' as const, parts, root: [] }]
  return { turns, finish, residue, ...compact({ id, model, usage }) }
}

export function encodeAnswer(answer: Answer, context: AnswerContext, report: Report): JsonObject {
  const { id, model, finish, usage, residue, error, turns } = answer
  const isOwn = residue?.wire === 'relay'
  for (const turn of turns) reportResidue(turn.residue, report)
  if (error !== undefined || finish.reason === 'failed') {
    const failed = { ...encodeProblem(error ?? { kind: 'server', message: 'The answer failed.' }) }
    restoreOrReport(failed, residue, 'relay', report)
    return failed
  }
  const parts = turns.flatMap(turn => turn.parts)
  const { say, use } = sortParts(parts, report)
  const asked = context.request && own(context.request, 'model')
  const written: Record<string, unknown> = isOwn
    ? compact({ reply: id, model })
    : { reply: id ?? context.newId('rl_'), model: model ?? (typeof asked === 'string' ? asked : '') }
  if (say !== undefined) written.say = say
  if (use.length > 0) {
    written.use = use.map(call =>
      'opaque' in call ? call.opaque : encodeCall(call, call.id ?? context.newId('use_'), report),
    )
  }
  const ended = encodeFinish(finish, isOwn)
  if (ended !== null || !isOwn) written.ended = ended
  if (usage !== undefined) written.tokens = encodeUsage(usage, report)
  restoreOrReport(written, residue, 'relay', report)
  return written
}
