import type { ExchangeFacts } from './observer.ts'

/**
 * Probes, scrapes, looks at traces and preflights: they come all the time, say nothing about exchanges, and must not
 * push exchanges out of a log or a trace. A path that does not exist is no noise: somebody is mistaken about it.
 */
export function isHousekeeping({ route, failure }: ExchangeFacts): boolean {
  return route === 'unknown' ? failure === undefined : !route.includes(' /v1/')
}
