/** The name of a model, as tables of facts by model are looked up. */

/**
 * The name and its beginnings that end where a word does, the longest first, so that `gpt-4` means `gpt-4-0613` but not
 * `gpt-4.1`. The name without a router's prefix before a slash follows.
 */
export function beginningsOf(model: string): readonly string[] {
  const found: string[] = []
  for (const name of new Set([model, model.slice(model.lastIndexOf('/') + 1)])) {
    for (let end = name.length; end > 0; end = lastBreak(name, end - 1)) found.push(name.slice(0, end))
  }
  return found
}

/** The last index at or before `from` of a character that ends a word; 0 when there is none. */
function lastBreak(name: string, from: number): number {
  for (let at = from; at > 0; at--) if ('-:@['.includes(name[at] ?? ' ')) return at
  return 0
}
