/** The way from a response back to the first of its chain. */

export interface Link {
  readonly id: string
  readonly previousId: string | undefined
}

/** From the oldest to the one asked for, or `undefined` when a link is missing or the chain bites its tail. */
export function walkChain<L extends Link>(
  id: string,
  find: (id: string) => L | undefined,
): readonly L[] | undefined {
  const links: L[] = []
  const seen = new Set<string>()
  for (let next: string | undefined = id; next !== undefined; ) {
    const link: L | undefined = seen.has(next) ? undefined : find(next)
    if (link === undefined) return undefined
    seen.add(next)
    links.push(link)
    next = link.previousId
  }
  return links.reverse()
}
