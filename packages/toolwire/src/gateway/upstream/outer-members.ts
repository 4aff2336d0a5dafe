/** Some members of a body's outermost object, found without parsing it: what a tool or a text mentions is none of them. */
import { createJsonMeter } from '@toolwire/core/json'
import { asBuffer } from '../http/bytes.ts'
import { scanMembers } from '../http/json-members.ts'

/** How much of each end of a body is scanned, in characters: a fraction of what may hold the event loop. */
const edge = 1 << 20
/** How many mentions are tried from the end of a long body. */
const mostTried = 8
const longest = 300

/**
 * The texts of their values, the last where a name is repeated, as a parser has it. Between the ends of a body of more than two
 * mebibytes it is the first mention.
 */
export function outerMembers(body: Uint8Array, names: readonly string[]): ReadonlyMap<string, string> {
  const bytes = asBuffer(body)
  const found = new Map<string, string>()
  const mentioned = names.filter(name => bytes.includes(`"${name}"`))
  if (mentioned.length === 0) return found
  const isWhole = scan(bytes.toString('latin1', 0, edge), mentioned, found)
  if (isWhole || bytes.length <= edge) return found
  for (const name of mentioned) {
    const value = found.get(name) ?? lastMember(bytes, name) ?? firstMention(bytes, name)
    if (value !== undefined) found.set(name, value)
  }
  return found
}

/** Whether the text is one object. Members before the place where it is cut off are found too. */
function scan(text: string, names: readonly string[], found: Map<string, string>): boolean {
  return scanMembers(text, createJsonMeter(Number.POSITIVE_INFINITY), (key, _, start, end) => {
    if (names.includes(key)) found.set(key, text.slice(start, Math.min(end, start + longest)))
    return true
  })
}

/** A member from which on the body is nothing but members and one closing brace is one of the outermost object. */
function lastMember(bytes: Buffer, name: string): string | undefined {
  const mark = `"${name}"`
  let at = bytes.lastIndexOf(mark)
  for (let tried = 0; tried < mostTried && at !== -1 && bytes.length - at < edge; tried++) {
    const found = new Map<string, string>()
    if (scan(`{${bytes.toString('latin1', at)}`, [name], found)) return found.get(name)
    if (at === 0) return undefined
    at = bytes.lastIndexOf(mark, at - 1)
  }
  return undefined
}

function firstMention(bytes: Buffer, name: string): string | undefined {
  const after = bytes.indexOf(`"${name}"`, edge) + name.length + 2
  if (after < edge || after > bytes.length - edge) return undefined
  return /^\s*:\s*(.*)/s.exec(bytes.toString('latin1', after, after + longest))?.[1]
}
