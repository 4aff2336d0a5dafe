/** A model on any wire calls the tools of a client on any wire, streamed or not, and gets their results. */
import type { Exchange } from '../../convert/exchange.ts'
import { createExchangeWith } from '../../convert/exchange.ts'
import { encodeTools } from '../../convert-tools.ts'
import type { JsonObject } from '../../json/object.ts'
import { isObject } from '../../json/object.ts'
import type { CallPart, Part, Turn } from '../../model/conversation.ts'
import { foldEvents } from '../../model/fold-events.ts'
import { equal } from '../../schema/equal.ts'
import { strictPasses } from '../../schema/strict/passes.ts'
import { createSseParser } from '../../sse/sse-parser.ts'
import type { BuiltInWire as Wire } from '../../wires/registry.ts'
import { createScriptedModel } from '../scripted-model.ts'
import type { Law, LawContext, SampledTool } from './law.ts'
import { assertLaw, codecOf, ignoreLosses, LawError } from './law.ts'

export function callLaws(context: LawContext): Law[] {
  const pairs = context.wires.flatMap(from => context.wires.map(to => ({ from, to })))
  return pairs.flatMap(({ from, to }): Law[] => [
    {
      name: `calls: a model on ${to} calls the tools of a client on ${from}, streamed or not`,
      check: async () => {
        const rounds = Math.max(0, ...context.tools.map(({ samples }) => samples.length))
        for (let round = 0; round < rounds; round++) {
          await checkCalls(context, { from, to, round, isStreamed: false })
          await checkCalls(context, { from, to, round, isStreamed: true })
        }
      },
    },
    {
      name: `results: the results of a client on ${from} reach a model on ${to}, each with its call`,
      check: () => checkResults(context, from, to),
    },
  ])
}

interface Case {
  readonly from: Wire
  readonly to: Wire
  readonly round: number
  readonly isStreamed: boolean
}

async function checkCalls(
  { tools: sampled, seed }: LawContext,
  { from, to, round, isStreamed }: Case,
): Promise<void> {
  const { value: tools, undo } = encodeTools(
    sampled.map(({ tool }) => tool),
    { to: from },
  )
  const exchange = newExchange(from, to)
  const prepared = exchange.request({ ...opening(from), tools, stream: isStreamed })
  const model = createScriptedModel({
    wire: to,
    pieces: { text: 5, bytes: { seed: seed + round }, interleave: true },
    script: request => ({
      calls: request.tools.map(({ name, namespace }, i) => ({
        name,
        ...(namespace !== undefined && { namespace }),
        arguments: argumentsOf(sampled[i], round),
      })),
    }),
  })
  const answer = await model.send(prepared.value)
  const calls = isStreamed ? await callsInStream(exchange, from, answer) : callsInBody(exchange, from, answer)
  const how = `from ${to} to ${from}, ${isStreamed ? 'streamed' : 'not streamed'}`
  assertLaw(calls.length === sampled.length, () => `${calls.length} of ${sampled.length} calls came ${how}.`)
  for (const [i, subject] of sampled.entries()) {
    const { name: called, input } = calls[i] ?? { name: '', input: '' }
    const { name } = undo.restoreCall({ kind: 'function', name: called, arguments: input })
    const { name: expected } = subject.tool
    assertLaw(name === expected, () => `Tool "${expected}": its call came ${how} as a call of "${name}".`)
    const sample = argumentsOf(subject, round)
    assertLaw(equal(parse(input), sample), () => {
      return `Tool "${expected}": its arguments ${JSON.stringify(sample)} came ${how} as ${input}.`
    })
  }
}

function argumentsOf(subject: SampledTool | undefined, round: number): object {
  const samples = subject?.samples ?? []
  return samples[round % samples.length] ?? {}
}

function newExchange(from: Wire, to: Wire): Exchange {
  let count = 0
  return createExchangeWith(
    { newId: prefix => `${prefix}${++count}`, now: () => 0 },
    { from: codecOf(from), to: codecOf(to) },
    { strictPasses },
  )
}

function opening(wire: Wire, more: readonly Turn[] = []): JsonObject {
  const turns: Turn[] = [
    { role: 'user', parts: [{ kind: 'text', text: 'Go.', path: [] }], root: [] },
    ...more,
  ]
  return codecOf(wire).encodeRequest({ model: 'any', turns, tools: {}, settings: {} }, ignoreLosses())
}

function callsInBody(exchange: Exchange, wire: Wire, answer: unknown): CallPart[] {
  const { value } = exchange.response(answer)
  return callsOf(codecOf(wire).decodeAnswer(value, ignoreLosses()).turns)
}

async function callsInStream(exchange: Exchange, wire: Wire, answer: unknown): Promise<CallPart[]> {
  const stream = exchange.stream()
  const parser = createSseParser()
  const decoder = codecOf(wire).createStreamDecoder(ignoreLosses())
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One turn calls every tool, and the second result is a failure. */
function checkResults({ tools: sampled }: LawContext, from: Wire, to: Wire): void {
  const texts = sampled.map(({ samples }, i) => `Result ${i}: ${JSON.stringify(samples.at(-1) ?? {})}`)
  const { value: tools, undo } = encodeTools(
    sampled.map(({ tool }) => tool),
    { to: from },
  )
  const names = tools.map(tool => nameOf(tool, from))
  const calls = sampled.map(({ samples }, i): Part => {
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
  const callTurns: Turn[] = calls.length === 0 ? [] : [{ role: 'assistant', parts: calls, root: [] }]
  const body = { ...opening(from, [...callTurns, ...results]), tools }
  const { value } = newExchange(from, to).request(body)
  const parts = partsOf(codecOf(to).decodeRequest(value, ignoreLosses()).turns)
  const arrived = parts.filter(part => part.kind === 'result')
  const called = parts.filter(part => part.kind === 'call')
  const how = `from ${from} to ${to}`
  assertLaw(
    arrived.length === texts.length,
    () => `${arrived.length} of ${texts.length} results went ${how}.`,
  )
  for (const [i, { tool }] of sampled.entries()) {
    const { callId, content = [], isError = false } = arrived[i] ?? {}
    const text = content.map(part => (part.kind === 'text' ? part.text : '')).join('')
    const message = (what: string): string => `Tool "${tool.name}": ${what} ${how}.`
    assertLaw(text === texts[i], () =>
      message(`its result ${JSON.stringify(texts[i])} became ${JSON.stringify(text)}`),
    )
    assertLaw(isError === (i === 1), () =>
      message(`its result ${isError ? 'became' : 'is no longer'} a failure`),
    )
    assertLaw(called[i]?.id === callId && callId !== undefined, () => message('its result lost its call'))
  }
  assertLaw(
    undo.declared.size === sampled.length,
    () => `The ${sampled.length} tools share names on ${from}.`,
  )
}

function nameOf(tool: unknown, wire: Wire): string {
  const read = isObject(tool) ? codecOf(wire).decodeTool(tool, [], ignoreLosses()) : undefined
  return read?.kind === 'function' ? read.name : ''
}
