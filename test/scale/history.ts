/** What the clients have seen, and whether what the gateways have agrees with it. */
import type { Member, Reply } from './members.ts'
import { answerTo, type EchoUpstream } from './upstream.ts'

export interface Entry {
  readonly id: string
  readonly owner: number
  readonly mark: string
  /** What it continues. */
  readonly before: Entry | undefined
  /** A client has its receipt or its end. */
  isAcknowledged: boolean
  /** The end that a client was told first: no later one may differ. */
  end?: { readonly status: string; readonly text: string }
  deletion: 'none' | 'asked' | 'done'
}

/** The marks of the whole chain, the oldest first. */
export const marksOf = (entry: Entry): string[] => [
  ...(entry.before ? marksOf(entry.before) : []),
  entry.mark,
]

/** Without each response that it continues, a response cannot be continued. */
export const isWhole = (entry: Entry): boolean =>
  entry.deletion === 'none' && (entry.before === undefined || isWhole(entry.before))

const isOver = (status: unknown): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled' || status === 'incomplete'

interface Body {
  readonly id?: string
  readonly status?: string
  readonly output?: readonly { readonly content?: readonly { readonly text?: string }[] }[]
}

export function textOf({ output = [] }: Body): string {
  return output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join('')
}

/**
 * Notes what a client was told of a response, and returns what is wrong with it. `known`: the end that had been told when the
 * client asked; what was told since may be newer than the answer.
 */
export function observe(entry: Entry, body: Body, known: Entry['end']): string[] {
  const { status = '' } = body
  const wrong: string[] = []
  const text = textOf(body)
  const fault = (what: string): void => void wrong.push(`${entry.id} (${entry.mark}): ${what}`)
  if (body.id !== entry.id) fault(`it is ${body.id}`)
  if (!isOver(status)) {
    if (known !== undefined) fault(`it was ${known.status} and is ${status}`)
    return wrong
  }
  // Of an answer that ended early there may be any part.
  if (status === 'completed' && text !== answerTo(marksOf(entry))) fault(`torn or foreign: ${text}`)
  if (entry.end === undefined) entry.end = { status, text }
  else if (entry.end.status !== status) fault(`it was ${entry.end.status} and is ${status}`)
  else if (status === 'completed' && entry.end.text !== text) fault(`it was ${entry.end.text} and is ${text}`)
  return wrong
}

/** What the gateways have of them now, when nobody changes anything any more. */
export async function verifyAll(
  members: readonly Member[],
  entries: readonly Entry[],
  upstream: EchoUpstream,
): Promise<string[]> {
  const patience = { looks: mostLooks }
  const wrong: string[] = []
  for (const [index, entry] of entries.entries()) {
    const member = members[index % members.length]
    if (member !== undefined) wrong.push(...(await verify(member, entry, upstream, patience)))
  }
  return wrong
}

async function verify(
  member: Member,
  entry: Entry,
  upstream: EchoUpstream,
  patience: Patience,
): Promise<string[]> {
  const { id, owner, mark } = entry
  const path = `/v1/responses/${id}`
  const fault = (what: string): string => `${id} (${mark}): ${what}`
  const times = upstream.timesAsked(mark)
  const doubled = times > 1 ? [fault(`the model was asked ${times} times`)] : []
  const stranger = await settled(member, path, owner + 1, patience)
  const foreign = stranger.status === 404 ? [] : [fault(`another owner got ${stranger.status}`)]
  const found = await settled(member, path, owner, patience)
  const wrong = [...doubled, ...foreign]
  if (found.status === 404) {
    const isMissed = entry.isAcknowledged && entry.deletion === 'none'
    return isMissed ? [...wrong, fault('it is lost')] : wrong
  }
  if (found.status !== 200) return [...wrong, fault(`status ${found.status} ${found.text}`)]
  if (entry.deletion === 'done') return [...wrong, fault('it is there although deleted')]
  const body = JSON.parse(found.text) as Body
  if (!isOver(body.status)) return [...wrong, fault(`it is ${body.status} for ever`)]
  return [...wrong, ...observe(entry, body, entry.end)]
}

/** How often all of them together are looked at again, which is for many seconds: work of a gateway that died is ended in six. */
const mostLooks = 200

interface Patience {
  looks: number
}

async function settled(member: Member, path: string, owner: number, patience: Patience): Promise<Reply> {
  for (;;) {
    const found = await member.ask(path, owner)
    const isOpen = found.status === 200 && !isOver((JSON.parse(found.text) as Body).status)
    const isAway = found.status === 0 || found.status >= 500
    if ((!isOpen && !isAway) || patience.looks-- <= 0) return found
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}
