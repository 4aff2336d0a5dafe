/** How many turns of the event loop others have until it is done. */
export async function turnsDuring(work: () => unknown): Promise<number> {
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns++
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await work()
  isDone = true
  return turns
}
