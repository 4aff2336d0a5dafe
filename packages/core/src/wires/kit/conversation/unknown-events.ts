/** The events of a stream that its decoder has no use for: each type is reported once. */
import { isObject } from '../../../json/object.ts'
import type { Report } from '../../../model/diagnostic.ts'

/** They say no more than that somebody is there. */
const idle = /(?:^|[._])(?:ping|heartbeat|keep[-_]?alive)$/

/** Further types are reported as one, and what a type holds beyond these characters is not repeated. */
const mostTypes = 100
const mostCharacters = 100

type Drop = (
  type: unknown,
  data: unknown,
  code?: 'event_dropped' | 'hint_dropped' | 'progress_dropped',
) => void

export function createEventDrop(report: Report): Drop {
  const types = new Set<string>()
  return (given, data, code = 'event_dropped') => {
    // The type of an event that names none, by the standard of server-sent events.
    const name = typeof given === 'string' ? given.slice(0, mostCharacters) : 'message'
    if (idle.test(name) || isEmpty(data)) return
    const type = types.size < mostTypes || types.has(name) ? name : '(others)'
    if (types.has(type)) return
    types.add(type)
    report(code, ['events', type], `Events "${type}" have no form on the target; they were left out.`)
  }
}

/** Whether there is nothing in it beside what every event may have. */
function isEmpty(data: unknown): boolean {
  if (!isObject(data)) return data === null
  return Object.keys(data).every(key => key === 'type' || key === 'sequence_number')
}
