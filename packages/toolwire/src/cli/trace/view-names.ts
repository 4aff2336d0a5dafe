import type { ViewName } from '../../telemetry/observer.ts'

/** In the order in which they come about. */
export const viewNames: readonly ViewName[] = [
  'client-request',
  'upstream-request',
  'upstream-answer',
  'client-answer',
]
