/** A recorded stream as the answer that it makes up. */
import type { JsonObject } from '@toolwire/core/json'
import type { Answer, ApiError, Part, WireConversation } from '@toolwire/core/wires'
import type { TracePart } from '../telemetry/traces/trace-document.ts'

export interface FoldedStream {
  readonly parts: readonly Part[]
  readonly answer: Answer
  readonly error: ApiError | undefined
}

/** The longest frame that a trace can hold. */
const longestFrame = 64 * 1024 * 1024
const cutMark = '\n… cut:'
const ignore = (): void => {}

/** Without the line that says that there was more. */
export function keptText({ text, cut }: TracePart): string {
  return cut ? text.slice(0, text.lastIndexOf(cutMark)) : text
}

/** Whatever of the stream was kept. `undefined` when there is no event in it. */
export function foldStream(part: TracePart, codec: WireConversation): FoldedStream | undefined {
  const reader = codec.frames.createReader(longestFrame)
  const decoder = codec.createStreamDecoder(ignore, { skipMalformed: true })
  const frames = [...reader.push(keptText(part)), ...(part.cut ? [] : reader.end())]
  const events = [...frames.flatMap(frame => decoder.push(frame)), ...decoder.end()]
  if (events.length === 0) return undefined
  const parts = new Map<number, Part>()
  let answer: Omit<Answer, 'turns'> = { finish: { reason: 'unfinished' } }
  let error: ApiError | undefined
  for (const event of events) {
    if (event.type === 'part-end') parts.set(event.index, event.part)
    else if (event.type === 'start') {
      const { id, model, createdAt } = event
      answer = {
        ...answer,
        ...(id !== undefined && { id }),
        ...(model !== undefined && { model }),
        ...(createdAt !== undefined && { createdAt }),
      }
    } else if (event.type === 'finish') {
      answer = { ...answer, finish: event.finish, ...(event.usage !== undefined && { usage: event.usage }) }
    } else if (event.type === 'error') error = event.error
  }
  const inOrder = [...parts].sort(([a], [b]) => a - b).map(([, each]) => each)
  const turns = [{ role: 'assistant' as const, parts: inOrder, root: [] }]
  return { parts: inOrder, answer: { ...answer, turns, ...(error !== undefined && { error }) }, error }
}

/** The answer as if it had not been streamed. Ids that the wire makes up are numbers. */
export function wholeAnswer({ answer }: FoldedStream, codec: WireConversation): JsonObject {
  let ids = 0
  const newId = (prefix: string): string => `${prefix}${++ids}`
  return codec.encodeAnswer(answer, { newId, now: () => answer.createdAt ?? 0 }, ignore)
}
