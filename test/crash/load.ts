/** Clients that use one gateway until it is killed: whole, streamed and background responses, continued and deleted. */
import { markOf } from '../support/soak/plan.ts'
import type { Random } from '../support/soak/random.ts'
import type { Ask, Known, Reply } from './known.ts'
import { isWhole, textOf } from './known.ts'

export interface Load {
  readonly known: Known[]
  readonly random: Random
  /** A number that no question has yet. */
  nextNumber(): number
}

const paragraph = 'It rained all day, and the wind from the west would not cease. '

function questionOf(owner: number, { nextNumber, random }: Load): string {
  // Some are longer than several pages of the file, so that a torn write would show.
  return `${markOf({ owner, n: nextNumber() })} ${paragraph.repeat(random.pick([0, 1, 20, 300]))}`.trim()
}

/** Sends requests, one after the other, until one is cut off. */
export async function useGateway(ask: Ask, load: Load): Promise<void> {
  const { random } = load
  for (;;) {
    const act = random.next()
    const isAlive =
      act < 0.08
        ? await erase(ask, load)
        : act < 0.25
          ? await background(ask, load)
          : await respond(ask, load, act < 0.6)
    if (!isAlive) return
  }
}

async function respond(ask: Ask, load: Load, stream: boolean): Promise<boolean> {
  const { known, random } = load
  const before = random.chance(0.3) ? pickOf(random, known.filter(isSettled)) : undefined
  const owner = before?.owner ?? random.below(4)
  const question = questionOf(owner, load)
  const body = {
    model: 'demo',
    input: question,
    stream,
    ...(before !== undefined && { previous_response_id: before.id }),
  }
  const reply = await ask('POST', '/v1/responses', owner, body)
  if (reply === undefined) return false
  if (reply.status !== 200) {
    // Another client may have deleted what this one continues.
    if (isWhole(before)) throw new Error(`${reply.status} ${reply.text}`)
    return true
  }
  const ended = stream ? endOf(reply) : (JSON.parse(reply.text) as Record<string, unknown>)
  const id = String(ended?.id ?? /"id":"(resp_\w+)"/.exec(reply.text)?.[1])
  const answer = ended?.status === 'completed' ? textOf(ended) : undefined
  known.push({ id, owner, before, question, answer, isAcknowledged: answer !== undefined, deletion: 'none' })
  return ended !== undefined
}

const isSettled = (known: Known): boolean => known.answer !== undefined && isWhole(known)

/** The response of the terminal event; `undefined` when the stream was cut off before. */
function endOf({ text }: Reply): Record<string, unknown> | undefined {
  const data = /event: response\.completed\ndata: (.*)\n\n/.exec(text)?.[1]
  return data === undefined ? undefined : (JSON.parse(data) as { response: Record<string, unknown> }).response
}

async function background(ask: Ask, load: Load): Promise<boolean> {
  const { known, random } = load
  const owner = random.below(4)
  const question = questionOf(owner, load)
  const model = random.pick(['demo', 'demo-slow'])
  const reply = await ask('POST', '/v1/responses', owner, { model, input: question, background: true })
  if (reply === undefined) return false
  const { id } = JSON.parse(reply.text) as { id: string }
  const entry: Known = {
    id,
    owner,
    before: undefined,
    question,
    answer: undefined,
    isAcknowledged: true,
    deletion: 'none',
  }
  known.push(entry)
  const found = await ask('GET', `/v1/responses/${id}`, owner)
  if (found === undefined) return false
  const body = JSON.parse(found.text) as Record<string, unknown>
  if (body.status === 'completed') entry.answer = textOf(body)
  return true
}

async function erase(ask: Ask, { known, random }: Load): Promise<boolean> {
  const entry = pickOf(random, known.filter(isSettled))
  if (entry === undefined) return true
  entry.deletion = 'asked'
  const reply = await ask('DELETE', `/v1/responses/${entry.id}`, entry.owner)
  if (reply?.status === 200) entry.deletion = 'done'
  return reply !== undefined
}

function pickOf(random: Random, list: readonly Known[]): Known | undefined {
  return list[random.below(Math.max(1, list.length))]
}
