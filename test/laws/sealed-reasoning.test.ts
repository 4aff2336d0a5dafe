/** Reasoning survives the loop: what an upstream said goes back to it as it was, through a client of any wire. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { describe, expect, test } from 'vitest'
import { promptOf } from '../support/fixtures/prompt.ts'
import { allVoices as voices } from '../support/reasoning/interleaved-voices.ts'
import { createReasoningModel } from '../support/reasoning/model.ts'
import type { Replay } from '../support/reasoning/replay.ts'
import { replays } from '../support/reasoning/replay.ts'
import type { Json } from '../support/reasoning/voices.ts'
import { wires } from '../support/wires.ts'

/** Deterministic, and good enough for a test: it opens only what it sealed for its owner. */
function sealFor(owner: string): { seal(text: string): string; open(sealed: string): string | undefined } {
  return {
    seal: text => Buffer.from(`${owner}|${text}`).toString('base64url'),
    open(sealed) {
      const text = Buffer.from(sealed, 'base64url').toString()
      return text.startsWith(`${owner}|`) ? text.slice(owner.length + 1) : undefined
    },
  }
}

const cases = wires.flatMap(from => Object.keys(voices).map(voice => [from, voice] as const))

interface Loop {
  readonly client: Wire
  readonly voice: string
  readonly streamed: boolean
  readonly sealsOwnWire: boolean
}

/** Runs the loop to its end and returns the last answer, and all requests that the upstream was sent. */
function runLoop({ client, voice: name, streamed, sealsOwnWire }: Loop): { sent: Json[]; answers: Json[] } {
  const voice = voices[name] as (typeof voices)[string]
  const model = createReasoningModel(voice, 'a')
  const replay: Replay = replays[client]
  const sent: Json[] = []
  const answers: Json[] = []
  for (let request: Json | undefined = replay.first('m'), ids = 0; request !== undefined; ) {
    const exchange = createExchange({
      from: client,
      to: voice.wire,
      upstream: 'a',
      seal: sealFor('ann'),
      sealsOwnWire,
      newId: prefix => `${prefix}${ids++}`,
      now: () => 0,
    })
    const { value, diagnostics } = exchange.request(request)
    expect(diagnostics.filter(({ code }) => code.startsWith('reasoning'))).toEqual([])
    sent.push(value)
    const replied = model.reply({ ...value, stream: streamed })
    expect(model.refusals).toEqual([])
    let answer: Json | undefined
    if ('events' in replied) {
      const stream = exchange.stream()
      stream.push(replied.events)
      stream.end()
      answer = stream.answer
    } else if ('whole' in replied) answer = exchange.response(replied.whole).value
    answers.push(answer ?? {})
    request = replay.next(request, answer ?? {})
  }
  return { sent, answers }
}

describe.each(cases)('a client on %s and the voice %s', (client, voice) => {
  test.each([true, false])('Reasoning goes back unchanged in five rounds, sealed on every wire: %s.', own => {
    const whole = runLoop({ client, voice, streamed: false, sealsOwnWire: own })
    const streamed = runLoop({ client, voice, streamed: true, sealsOwnWire: own })
    expect(whole.sent).toHaveLength(6)
    expect(streamed.sent).toHaveLength(6)
  })

  test('The envelopes of a stream are those of the answer as a whole.', () => {
    const envelopes = (answers: readonly Json[]): string[] =>
      JSON.stringify(answers).match(/toolwire-sealed\.1\.[\w-]+/g) ?? []
    const [whole, streamed] = [false, true].map(streams =>
      envelopes(runLoop({ client, voice, streamed: streams, sealsOwnWire: true }).answers),
    )
    expect(whole?.length).toBeGreaterThanOrEqual(6)
    expect(streamed).toEqual(whole)
  })

  test('Each request is the one before with something appended.', () => {
    const { sent } = runLoop({ client, voice, streamed: true, sealsOwnWire: true })
    const histories = sent.map(body => promptOf(body).pieces)
    for (const [at, history] of histories.entries()) {
      const before = histories[at - 1] ?? []
      expect(history.slice(0, before.length)).toEqual(before)
    }
  })
})

test('An envelope that a client returns twice is opened once.', () => {
  const model = createReasoningModel(voices.messages as (typeof voices)[string], 'a')
  const options = { from: 'chat', to: 'messages', upstream: 'a', seal: sealFor('ann') } as const
  const first = createExchange(options)
  const request = replays.chat.first('m')
  const replied = model.reply(first.request(request).value)
  const { value } = first.response('whole' in replied ? replied.whole : {})
  const [choice] = value.choices as [{ message: { reasoning_details: readonly Json[] } }]
  const details = choice.message.reasoning_details
  const message = { ...choice.message, reasoning_details: [...details, ...details] }
  const next = replays.chat.next(request, { choices: [{ message }] }) ?? {}
  model.reply(createExchange(options).request(next).value)
  expect(model.refusals).toEqual([])
})
