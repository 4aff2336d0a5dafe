/**
 * Exchanges that continue an answer which their gateway process does not know: another process gave it, or one before the
 * last start. Whoever has the list of all can tell their conversations.
 */
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'

/** `summaries`: the newest first; those that stay as they are remain the same objects. */
export function joinChains(summaries: readonly TraceSummary[]): readonly TraceSummary[] {
  if (!summaries.some(({ continues }) => continues !== undefined)) return summaries
  const given = new Map(summaries.map(summary => [summary.id, summary]))
  const answered = new Map(summaries.map(({ response_id: answer = '', id }) => [answer, id]))
  const moved = new Map<string, TraceSummary>()
  for (const summary of summaries.toReversed().sort((a, b) => (a.time < b.time ? -1 : 1))) {
    const { id, conversation, turn = 1, continues, prompt } = summary
    const follows = continues === undefined ? summary.follows : answered.get(continues)
    const before = follows === undefined || follows === id ? undefined : given.get(follows)
    const now = before === undefined ? undefined : (moved.get(before.id) ?? before)
    if (before === undefined || now === undefined || (continues === undefined && now === before)) continue
    // A session that the client names is its own, whatever it goes on from.
    const own = continues === undefined ? before.conversation : id
    const steps = continues === undefined ? turn - (before.turn ?? 1) : prompt ? 1 : 0
    moved.set(id, {
      ...summary,
      follows: before.id,
      turn: (now.turn ?? 1) + steps,
      ...(conversation === own && now.conversation !== undefined && { conversation: now.conversation }),
    })
  }
  return summaries.map(summary => moved.get(summary.id) ?? summary)
}
