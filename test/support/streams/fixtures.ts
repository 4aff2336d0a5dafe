/** The answers under `fixtures/answers`, encoded as streams of their own wire. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { compact } from '../../../packages/core/src/json/object.ts'
import { partEvents } from '../../../packages/core/src/model/answer-events.ts'
import type { Part } from '../../../packages/core/src/model/conversation.ts'
import { createReport } from '../../../packages/core/src/model/diagnostic.ts'
import type { StreamEvent } from '../../../packages/core/src/model/stream-event.ts'
import { builtInConversations } from '../../../packages/core/src/wires/registry.ts'
import type { Fixture } from '../fixtures/fixtures.ts'
import { conversationFixtures } from '../fixtures/fixtures.ts'

export const pinned: { newId(prefix: string): string; now(): number } = (() => {
  let count = 0
  return { newId: (prefix: string) => `${prefix}${++count}`, now: () => 1_700_000_000 }
})()

export interface StreamFixture extends Fixture {
  /** The text of the stream, event by event. */
  readonly events: readonly string[]
}

/** Errors before any answer are left out, because they are not streams. */
export const streamFixtures: readonly StreamFixture[] = conversationFixtures('answers')
  .filter(({ body }) => body.error === undefined || body.error === null)
  .filter(({ story }) => !story.startsWith('error'))
  .map(fixture => ({ ...fixture, events: streamOf(fixture.wire, fixture.body) }))

function streamOf(wire: Wire, body: Record<string, unknown>): string[] {
  const { report } = createReport()
  const { turns, finish, usage, serviceTier, ...head } = builtInConversations[wire].decodeAnswer(body, report)
  const { residue: _, error: __, ...start } = head
  const encoder = builtInConversations[wire].createStreamEncoder(
    { ...pinned, request: { stream_options: { include_usage: true } } },
    report,
  )
  const events: StreamEvent[] = [
    { type: 'start', ...start },
    ...turns.flatMap(({ parts }) => parts).flatMap(eventsOf),
    { type: 'finish', finish, ...compact({ usage, serviceTier }) },
  ]
  return events.map(event => encoder.push(event)).filter(text => text !== '')
}

/** The events of a part, with its text in deltas of three characters. */
function eventsOf(part: Part, index: number): StreamEvent[] {
  return [...partEvents(part, index)].flatMap<StreamEvent>(event => {
    if (event.type !== 'part-delta') return [event]
    return (event.text.match(/[\s\S]{1,3}/g) ?? []).map(text => ({ ...event, text }))
  })
}
