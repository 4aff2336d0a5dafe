/** Names for the tools of several servers: a tool keeps its name unless another has it too; then the server's is prepended. */

export interface NamedTool {
  readonly server: string
  readonly name: string
}

/** Returns one name for each tool, in the same order, all different and none of them taken. */
export function uniqueNames(tools: readonly NamedTool[], taken: Iterable<string> = []): string[] {
  const used = new Set(taken)
  const counts = new Map<string, number>()
  for (const { name } of tools) counts.set(name, (counts.get(name) ?? 0) + 1)
  const isFree = ({ name }: NamedTool): boolean => counts.get(name) === 1 && !used.has(name)
  const plain = tools.map(isFree)
  // Unchanged names are reserved first, so that no prefixed name takes one of them.
  for (const [i, { name }] of tools.entries()) if (plain[i]) used.add(name)
  return tools.map(({ server, name }, i) => {
    if (plain[i]) return name
    const wanted = `${server}_${name}`
    let free = wanted
    for (let number = 2; used.has(free); number++) free = `${wanted}_${number}`
    used.add(free)
    return free
  })
}
