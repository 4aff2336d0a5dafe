/** Kills a gateway again and again under load, and checks after each restart that nothing a client has got is lost. */
import { join } from 'node:path'
import { createRandom } from '../support/soak/random.ts'
import type { Ask, Known, Reply } from './known.ts'
import { verify } from './known.ts'
import { useGateway } from './load.ts'
import type { Served, Start } from './served-process.ts'
import { serve } from './served-process.ts'

export interface CrashOptions {
  readonly start: Start
  /** Where the store is. */
  readonly folder: string
  readonly kills: number
  readonly seed: number
  onKill?(kills: number, known: number): void
}

export interface CrashReport {
  readonly kills: number
  /** Processes that were killed before they listened. */
  readonly early: number
  /** Responses that clients had got completely. */
  readonly completed: number
  readonly known: number
  readonly verifications: number
  readonly violations: readonly string[]
}

const clients = 8
/** Counted in replies, so that a slow machine kills under load too. */
const mostReplies = 80
/** How many of the older responses are looked at after each kill; at the end it is all of them. */
const sample = 20
/** How many kills lie between two looks at the whole file. */
const verifyEvery = 25

export async function runCrash({ start, folder, kills, seed, onKill }: CrashOptions): Promise<CrashReport> {
  const random = createRandom(seed)
  const path = join(folder, 'responses.sqlite')
  const known: Known[] = []
  const violations: string[] = []
  let numbers = 0
  let early = 0
  let verifications = 0
  let unverified = 0
  const load = { known, random, nextNumber: () => ++numbers }

  const check = async (ask: Ask, list: readonly Known[]): Promise<void> => {
    for (const entry of list) {
      verifications++
      violations.push(...(await verify(ask, entry)))
    }
  }

  for (let done = 0; done < kills; done++) {
    const served = serve(start, path)
    if (random.chance(0.1)) {
      early++
      await pause(random.between(1, 250))
      await served.kill()
      continue
    }
    let left = random.below(mostReplies)
    let onEnough = (): void => {}
    const killLater = new Promise<void>(resolve => {
      onEnough = resolve
    }).then(async () => {
      await pause(random.below(20))
      await served.kill()
    })
    const ask = askAt(served, await served.url, () => {
      if (left-- <= 0) onEnough()
    })
    // What was known before the last kill, first of all what was under way at that time.
    const older = Array.from({ length: Math.min(sample, known.length) }, () => random.below(known.length))
    const recent = known.slice(unverified)
    unverified = known.length
    const [, failure] = await Promise.all([
      check(ask, [...recent, ...older.flatMap(at => known[at] ?? [])]),
      Promise.all(Array.from({ length: clients }, () => useGateway(ask, load))).then(
        () => undefined,
        (error: unknown) => {
          // Nobody may be left to send as many requests as were to be answered.
          onEnough()
          return error
        },
      ),
      killLater,
    ])
    if (failure !== undefined) violations.push(`A request failed: ${failure}`)
    if (done % verifyEvery === 0) violations.push(...(await verifyStore(start, path)))
    onKill?.(done + 1, known.length)
  }
  const last = serve(start, path)
  await check(
    askAt(last, await last.url, () => {}),
    known,
  )
  await last.kill()
  violations.push(...(await verifyStore(start, path)))
  const completed = known.filter(({ answer }) => answer !== undefined).length
  return { kills, early, completed, known: known.length, verifications, violations }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds))
}

/** Requests that are cut off by the kill have no reply; any other failure is thrown. */
function askAt(served: Served, url: string, onReply: () => void): Ask {
  return async (method, path, owner, body): Promise<Reply | undefined> => {
    let text = ''
    let status = 0
    try {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer key-${owner}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      status = answer.status
      const decoder = new TextDecoder()
      for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true })
    } catch (error) {
      if (!served.isKilled) throw error
      // Of a stream that was cut off, what came before counts.
      return text.includes('event: ') ? { status, text } : undefined
    }
    onReply()
    return { status, text }
  }
}

/** What `toolwire store verify` finds wrong: with the file as SQLite sees it, or with any record. */
async function verifyStore(start: Start, path: string): Promise<string[]> {
  const child = start(['store', 'verify', '--json', '--store', path], {})
  let printed = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', chunk => {
      printed += String(chunk)
    })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return code === 0 ? [] : [`The store is damaged: ${printed}`]
}
