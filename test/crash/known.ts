/** What the clients of a crash run know: which responses they have got completely, and which were deleted. */
import { foreignMarks } from '../simulation/marks.ts'

export interface Known {
  readonly id: string
  readonly owner: number
  /** What it continues. */
  readonly before: Known | undefined
  /** The complete text of the question, which stands in the stored input. */
  readonly question: string
  /** The answer, if a client has got its end. */
  answer: string | undefined
  /** A client has its receipt or its end. */
  isAcknowledged: boolean
  deletion: 'none' | 'asked' | 'done'
}

/** Without each response that it continues, a response cannot be continued. */
export const isWhole = (known: Known | undefined): boolean =>
  known === undefined || (known.deletion === 'none' && isWhole(known.before))

export interface Reply {
  readonly status: number
  readonly text: string
}

/** A request that a kill may cut off: then it is `undefined`. */
export type Ask = (method: string, path: string, owner: number, body?: object) => Promise<Reply | undefined>

type Body = Record<string, unknown>

export function textOf(body: Body): string {
  const output = (body.output ?? []) as { type: string; content?: { text?: string }[] }[]
  return output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join('')
}

/** What is wrong with what the gateway has of it now. */
export async function verify(ask: Ask, known: Known): Promise<string[]> {
  const { id, owner } = known
  const wasDeleted = known.deletion === 'done'
  const wrong: string[] = []
  const fault = (what: string): void => void wrong.push(`${id} of ${owner}: ${what}`)
  const found = await ask('GET', `/v1/responses/${id}`, owner)
  if (found === undefined) return wrong
  const stranger = await ask('GET', `/v1/responses/${id}`, owner + 1)
  if (stranger !== undefined && stranger.status !== 404) fault(`another owner got ${stranger.status}`)
  if (found.status === 404) {
    // Another client may have deleted it meanwhile.
    if (known.isAcknowledged && known.deletion === 'none') fault('it is lost')
    return wrong
  }
  if (found.status !== 200) {
    fault(`status ${found.status} ${found.text}`)
    return wrong
  }
  if (wasDeleted) fault('it is there although deleted')
  const body = JSON.parse(found.text) as Body
  for (const mark of foreignMarks(owner, found.text)) fault(`it has the text ${mark}`)
  if (known.answer !== undefined) {
    if (body.status !== 'completed') fault(`it was completed and is ${body.status}`)
    if (textOf(body) !== known.answer) fault(`it was ${known.answer} and is ${textOf(body)}`)
  }
  // The demo model repeats the beginning of a question.
  if (body.status === 'completed' && !textOf(body).includes(known.question.slice(0, 30)))
    fault(`the answer is torn: ${textOf(body)}`)
  const input = await ask('GET', `/v1/responses/${id}/input_items`, owner)
  if (input?.status === 200 && !input.text.includes(JSON.stringify(known.question).slice(1, -1)))
    fault('its input is torn')
  return wrong
}
