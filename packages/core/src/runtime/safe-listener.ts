/** Listeners hear what happens; what they make of it, now or later, is not the affair of whoever tells them. */

/** Calls the listener at once. What it throws is ignored, and so is the rejection of an asynchronous one. */
export function callListener<Event>(
  listener: ((event: Event) => unknown) | undefined,
): (event: Event) => void {
  if (listener === undefined) return () => {}
  return event => {
    new Promise(resolve => resolve(listener(event))).catch(() => {})
  }
}
