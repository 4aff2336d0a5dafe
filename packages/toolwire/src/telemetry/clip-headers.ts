/** The head of a request or answer, as a view keeps it: no larger than is worth reading, and the given object if it can. */
import { clipText } from './clip-text.ts'
import { shownHeader } from './mask-secrets.ts'

/** Nobody changes it afterwards. */
export interface ViewHead {
  readonly line: string
  readonly headers: Readonly<Record<string, string>>
}

const longestText = 2000
const mostHeaders = 100

export function clipHead(head: ViewHead): ViewHead {
  return isSmall(head) ? head : cutHead(head)
}

function isSmall({ line, headers }: ViewHead): boolean {
  const names = Object.keys(headers)
  if (names.length > mostHeaders || line.length > longestText) return false
  for (const name of names) {
    if (name.length > longestText || (headers[name] ?? '').length > longestText) return false
  }
  return true
}

function cutHead({ line, headers }: ViewHead): ViewHead {
  const kept = Object.entries(headers).slice(0, mostHeaders)
  return {
    line: clipText(line, longestText),
    headers: Object.fromEntries(
      kept.map(([name, value]) => [clipText(name, longestText), clipText(value, longestText)]),
    ),
  }
}

/** As it may be seen. Few heads are ever looked at, so it is found out only then. */
export function visibleHead({ line, headers }: ViewHead): ViewHead {
  const shown = Object.entries(headers).map(([name, value]) => [name, shownHeader(name, value)])
  return { line, headers: Object.fromEntries(shown) }
}

/** Two bytes for a character, and something for each header itself. */
export function headCost({ line, headers }: ViewHead): number {
  let cost = 2 * line.length
  for (const name of Object.keys(headers)) cost += 50 + 2 * (name.length + (headers[name] ?? '').length)
  return cost
}
