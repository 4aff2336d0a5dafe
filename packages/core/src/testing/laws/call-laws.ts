/** Calls and their results: a model on any wire calls the tools of a client on any wire, streamed and whole. */

import type { Exchange } from '../../convert/exchange.ts'
import { createExchangeWith } from '../../convert/exchange.ts'
import { encodeTools } from '../../convert-tools.ts'
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import { parseJson } from '../../json/text.ts'
import type { CallPart, Part, Turn } from '../../model/conversation.ts'
import { foldEvents } from '../../model/fold-events.ts'
import { equal } from '../../schema/equal.ts'
import { strictPasses } from '../../schema/strict/passes.ts'
import { createSseParser } from '../../sse/sse-parser.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { createScriptedModel } from '../scripted-model.ts'
import type { Law, Subject, Trial } from './law.ts'
import { codecOf, insist, LawError, pairs, unheard } from './law.ts'

export function callLaws(trial: Trial): Law[] {
  return pairs(trial.wires).flatMap(({ from, to }): Law[] => [
    {
      name: `calls: a model on ${to} calls the tools of a client on ${from}, streamed and whole`,
      check: async () => {
        const rounds = Math.max(0, ...trial.subjects.map(({ samples }) => samples.length))
        for (let round = 0; round < rounds; round++) {
          await checkCalls(trial, { from, to, round, isStreamed: false })
          await checkCalls(trial, { from, to, round, isStreamed: true })
        }
      },
    },
    {
      name: `results: what the tools of a client on ${from} give reaches a model on ${to}, each with its call`,
      check: () => checkResults(trial, from, to),
    },
  ])
}

interface Case {
  readonly from: Wire
  readonly to: Wire
  readonly round: number
  readonly isStreamed: boolean
}

async function checkCalls({ subjects, seed }: Trial, { from, to, round, isStreamed }: Case): Promise<void> {
  const { value: tools, undo } = encodeTools(
    subjects.map(({ tool }) => tool),
    { to: from },
  )
  const exchange = newExchange(from, to)
  const asked = exchange.request({ ...opening(from), tools, stream: isStreamed })
  const model = createScriptedModel({
    wire: to,
    pieces: { text: 5, bytes: { seed: seed + round }, interleave: true },
    script: request => ({
      calls: request.tools.map(({ name, namespace }, i) => ({
        name,
        ...(namespace !== undefined && { namespace }),
        arguments: argumentsOf(subjects[i], round),
      })),
    }),
  })
  const answer = await model.send(asked.value)
  const calls = isStreamed ? await streamedCalls(exchange, from, answer) : wholeCalls(exchange, from, answer)
  const how = `from ${to} to ${from}, ${isStreamed ? 'streamed' : 'whole'}`
  insist(calls.length === subjects.length, () => `${calls.length} of ${subjects.length} calls came ${how}.`)
  for (const [i, subject] of subjects.entries()) {
    const { name: given, input } = calls[i] ?? { name: '', input: '' }
    const { name } = undo.restoreCall({ kind: 'function', name: given, arguments: input })
    const { name: meant } = subject.tool
    insist(name === meant, () => `Tool "${meant}": its call came ${how} as a call of "${name}".`)
    const sample = argumentsOf(subject, round)
    insist(equal(parseJson(input), sample), () => {
      return `Tool "${meant}": its arguments ${JSON.stringify(sample)} came ${how} as ${input}.`
    })
  }
}

function argumentsOf(subject: Subject | undefined, round: number): object {
  const samples = subject?.samples ?? []
  return samples[round % samples.length] ?? {}
}

function newExchange(from: Wire, to: Wire): Exchange {
  let count = 0
  return createExchangeWith(
    { newId: prefix => `${prefix}${++count}`, now: () => 0 },
    { strictPasses, from: codecOf(from), to: codecOf(to) },
  )
}

function opening(wire: Wire, more: readonly Turn[] = []): JsonObject {
  const turns: Turn[] = [
    { role: 'user', parts: [{ kind: 'text', text: 'Go.', path: [] }], root: [] },
    ...more,
  ]
  return codecOf(wire).encodeRequest({ model: 'any', turns, tools: {}, settings: {} }, unheard())
}

function wholeCalls(exchange: Exchange, wire: Wire, answer: unknown): CallPart[] {
  const { value } = exchange.response(answer)
  return callsOf(codecOf(wire).decodeAnswer(value, unheard()).turns)
}

async function streamedCalls(exchange: Exchange, wire: Wire, answer: unknown): Promise<CallPart[]> {
  const stream = exchange.stream()
  const parser = createSseParser()
  const decoder = codecOf(wire).createStreamDecoder(unheard())
  const texts: string[] = []
  for await (const chunk of answer as AsyncIterable<string | Uint8Array>) texts.push(stream.push(chunk))
  texts.push(stream.end())
  const frames = [...texts.flatMap(text => parser.push(text)), ...parser.end()]
  const { turns, error } = foldEvents([...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()])
  if (error !== undefined) throw new LawError(`The stream to a client on ${wire} failed: ${error.message}`)
  return callsOf(turns)
}

const callsOf = (turns: readonly Turn[]): CallPart[] => partsOf(turns).filter(part => part.kind === 'call')

const partsOf = (turns: readonly Turn[]): Part[] => turns.flatMap(({ parts }) => parts)

/** One turn that calls every tool, and its results: one of them a failure, where there are two. */
function checkResults({ subjects }: Trial, from: Wire, to: Wire): void {
  const texts = subjects.map(({ samples }, i) => `Result ${i}: ${JSON.stringify(samples.at(-1) ?? {})}`)
  const { value: tools, undo } = encodeTools(
    subjects.map(({ tool }) => tool),
    { to: from },
  )
  const names = tools.map(tool => nameOf(tool, from))
  const calls = subjects.map(({ samples }, i): Part => {
    const input = JSON.stringify(samples.at(-1) ?? {})
    return { kind: 'call', form: 'function', id: `call_${i}`, name: names[i] ?? '', input, path: [] }
  })
  const results = texts.map((text, i): Turn => {
    const content: Part[] = [{ kind: 'text', text, path: [] }]
    const isError = i === 1
    const part: Part = {
      kind: 'result',
      form: 'function',
      callId: `call_${i}`,
      content,
      plain: true,
      isError,
      path: [],
    }
    return { role: 'tool', parts: [part], root: [] }
  })
  const said: Turn[] = calls.length === 0 ? [] : [{ role: 'assistant', parts: calls, root: [] }]
  const body = { ...opening(from, [...said, ...results]), tools }
  const { value } = newExchange(from, to).request(body)
  const parts = partsOf(codecOf(to).decodeRequest(value, unheard()).turns)
  const arrived = parts.filter(part => part.kind === 'result')
  const called = parts.filter(part => part.kind === 'call')
  const how = `from ${from} to ${to}`
  insist(arrived.length === texts.length, () => `${arrived.length} of ${texts.length} results went ${how}.`)
  for (const [i, { tool }] of subjects.entries()) {
    const { callId, content = [], isError = false } = arrived[i] ?? {}
    const text = content.map(part => (part.kind === 'text' ? part.text : '')).join('')
    const tell = (what: string): string => `Tool "${tool.name}": ${what} ${how}.`
    insist(text === texts[i], () =>
      tell(`its result ${JSON.stringify(texts[i])} became ${JSON.stringify(text)}`),
    )
    insist(isError === (i === 1), () => tell(`its result ${isError ? 'became' : 'is no longer'} a failure`))
    insist(called[i]?.id === callId && callId !== undefined, () => tell('its result lost its call'))
  }
  insist(undo.declared.size === subjects.length, () => `The ${subjects.length} tools share names on ${from}.`)
}

function nameOf(tool: unknown, wire: Wire): string {
  const read = isObject(tool) ? codecOf(wire).decodeTool(tool, [], unheard()) : undefined
  return read?.kind === 'function' ? read.name : ''
}
