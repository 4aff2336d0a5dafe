/** The events of a stream that its decoder has no use for: each type is reported once. */
import { isObject } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'

/** They say no more than that somebody is there. */
const idle = /(?:^|[._])(?:ping|heartbeat|keep[-_]?alive)$/

type Drop = (
  type: unknown,
  data: unknown,
  code?: 'event_dropped' | 'hint_dropped' | 'progress_dropped',
) => void

export function createEventDrop(report: Report): Drop {
  const types = new Set<string>()
  return (given, data, code = 'event_dropped') => {
    // The type of an event that names none, by the standard of server-sent events.
    const type = typeof given === 'string' ? given : 'message'
    if (types.has(type) || idle.test(type) || isEmpty(data)) return
    types.add(type)
    report(code, ['events', type], `Events "${type}" have no form on the target; they were left out.`)
  }
}

/** Whether there is nothing in it beside what every event may have. */
function isEmpty(data: unknown): boolean {
  if (!isObject(data)) return data === null
  return Object.keys(data).every(key => key === 'type' || key === 'sequence_number')
}
