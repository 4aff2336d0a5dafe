/** The worker processes of a gateway: started, asked, restarted when they crash, and stopped together. */
import type { Worker } from 'node:cluster'
import { ConfigError, type LocatedProblem } from '../../config/config-error.ts'
import type { Environment } from '../serve/environment.ts'
import { Calls } from './calls.ts'

/** What a worker process has to say once it serves. */
export interface WorkerReport {
  readonly storeDescription: string
  readonly toolCount: number
  readonly warnings: readonly string[]
}

/** What a worker process is told when it begins. */
export interface WorkerTask {
  readonly count: number
  readonly isSpeaker: boolean
}

export interface CrewOptions {
  readonly count: number
  fork(): Worker
  /** What it is told beside that: the same object until it changes. */
  readonly task: () => object
  /** Tells a worker that began with an earlier task what is new. */
  renew(calls: Calls): unknown
  readonly world: Pick<Environment, 'after' | 'every' | 'uptimeMs'>
  tell(line: string): void
  /** Questions that the workers have for this process. */
  readonly answers: Readonly<Record<string, () => unknown>>
  /** It serves from now on. */
  onReady(worker: Worker): void
  /** It has stopped answering; `onReady` follows if it answers again. */
  onSilence(worker: Worker): void
  /** Before it is forgotten. */
  onEnd(member: Member): void
}

/** One place in the crew, whichever process has it. */
export interface Member {
  readonly number: number
  worker: Worker | undefined
  calls: Calls | undefined
  isReady: boolean
  startedAt: number
  /** Crashes soon after the start, one after the other. */
  crashes: number
  /** For how many looks it has owed an answer. */
  silences: number
}

/** Whoever asks for more than one answer goes on without those that take longer. */
const answerMs = 2_000
/** Who has lived longer than that has not crashed over its start. */
const soundMs = 30_000
const slowestRestartMs = 30_000
/** Who owes an answer for that long gets no connections; who owes it for a minute is ended, as `/live` would say "stuck" of a single process. */
const lookEveryMs = 5_000
const mostSilences = 12
/** How long a worker may take for its end, beyond the time for its exchanges. */
const endMs = 7_000

export class Crew {
  restarts = 0
  readonly #options: CrewOptions
  readonly #members: readonly Member[]
  #isStopping = false
  #stopLooking: (() => void) | undefined

  constructor(options: CrewOptions) {
    this.#options = options
    this.#members = Array.from({ length: options.count }, (_, at) => newMember(at + 1))
  }

  /** Those that serve now. */
  get ready(): readonly Member[] {
    return this.#members.filter(({ isReady }) => isReady)
  }

  /** The first one alone, so that it makes the store and what is wrong is told once. Rejects if any of them fails. */
  async start(): Promise<WorkerReport> {
    const [first, ...others] = this.#members
    if (first === undefined) throw new RangeError('A crew has at least one member.')
    const report = await this.#begin(first)
    await Promise.all(others.map(member => this.#begin(member)))
    this.#stopLooking = this.#options.world.every(lookEveryMs, () =>
      this.ready.forEach(each => void this.#look(each)),
    )
    return report
  }

  /** What those say that answer in time, each with who said it. */
  async askAll(
    name: string,
    given: readonly unknown[] = [],
    but?: Member,
  ): Promise<readonly [Member, unknown][]> {
    const asked = this.ready
      .filter(member => member !== but)
      .map(async member => {
        const value = await member.calls?.ask(name, given, answerMs)
        return [member, value] as [Member, unknown]
      })
    const settled = await Promise.allSettled(asked)
    return settled.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []))
  }

  /** Asks one of them. */
  async askAny(name: string, given: readonly unknown[] = []): Promise<unknown> {
    const [first] = this.ready
    return first?.calls?.ask(name, given, answerMs)
  }

  async stop(shutdownMs: number): Promise<void> {
    this.#isStopping = true
    this.#stopLooking?.()
    await Promise.all(this.#members.map(member => this.#end(member, shutdownMs)))
  }

  #begin(member: Member): Promise<WorkerReport> {
    const { count, fork, task, renew, answers, world } = this.#options
    const worker = fork()
    const calls = new Calls(message => void worker.send(message, () => {}))
    Object.assign(member, { worker, calls, isReady: false, startedAt: world.uptimeMs(), silences: 0 })
    worker.on('message', message => calls.receive(message))
    const told: WorkerTask = { count, isSpeaker: member.number === 1 }
    let given = task()
    calls.on('begin', () => {
      given = task()
      return { ...given, ...told }
    })
    calls.on('others', async (name: string, ...given: readonly unknown[]) =>
      (await this.askAll(name, given, member)).map(([, value]) => value),
    )
    for (const [name, answer] of Object.entries(answers)) calls.on(name, answer)
    return new Promise((resolve, reject) => {
      calls.on('ready', async (report: WorkerReport) => {
        while (given !== task()) {
          given = task()
          await renew(calls)
        }
        member.isReady = true
        this.#options.onReady(worker)
        resolve(report)
      })
      calls.on('failed', (problems: readonly LocatedProblem[]) => reject(new ConfigError(problems)))
      worker.once('exit', (code, signal) => {
        reject(new Error(`A worker process ended before it was ready (${signal ?? code}).`))
        this.#onExit(member, signal ?? `code ${code}`)
      })
    })
  }

  /** Looks are counted and not the time, since nobody has answered while the machine slept. */
  #look(member: Member): void {
    const { worker, calls, number } = member
    const { tell, onSilence, onReady } = this.#options
    const silences = member.silences++
    if (worker === undefined) return
    if (silences === 1) onSilence(worker)
    if (silences === mostSilences) {
      tell(`Worker ${number} (process ${worker.process.pid}) has not answered for a minute, and is ended.`)
      worker.kill('SIGKILL')
    }
    if (silences > 0) return
    const answered = (): void => {
      if (member.worker !== worker) return
      if (member.silences > 1) onReady(worker)
      member.silences = 0
    }
    // Who cannot be asked is about to end.
    calls?.ask('active').then(answered, () => {})
  }

  #onExit(member: Member, how: string): void {
    const { world, tell, onEnd } = this.#options
    const { isReady, number, worker } = member
    onEnd(member)
    member.calls?.close()
    Object.assign(member, { worker: undefined, calls: undefined, isReady: false })
    // Until all have begun, whoever starts them hears of it.
    if (this.#isStopping || (!isReady && member.crashes === 0)) return
    member.crashes = world.uptimeMs() - member.startedAt >= soundMs ? 1 : member.crashes + 1
    const delayMs = restartDelayMs(member.crashes)
    const again = delayMs === 0 ? 'now' : `in ${delayMs / 1000} s`
    const often = member.crashes > 2 ? ` That was ${member.crashes} times in a row.` : ''
    tell(
      `Worker ${number} (process ${worker?.process.pid}) ended: ${how}.${often} It is started again ${again}.`,
    )
    world.after(delayMs, () => this.#restart(member))
  }

  #restart(member: Member): void {
    if (this.#isStopping) return
    this.restarts++
    this.#begin(member).then(
      () => this.#options.tell(`Worker ${member.number} serves again.`),
      // How it ended is told by its exit.
      (error: unknown) => error instanceof ConfigError && this.#options.tell(error.message),
    )
  }

  async #end({ worker, calls, isReady }: Member, shutdownMs: number): Promise<void> {
    if (worker === undefined) return
    const ended = new Promise<void>(resolve => worker.once('exit', () => resolve()))
    if (!isReady) worker.kill('SIGKILL')
    else calls?.ask('stop', [shutdownMs]).catch(() => {})
    const cancel = this.#options.world.after(shutdownMs + endMs, () => worker.kill('SIGKILL'))
    await ended
    cancel()
  }
}

function newMember(number: number): Member {
  return {
    number,
    worker: undefined,
    calls: undefined,
    isReady: false,
    startedAt: 0,
    crashes: 0,
    silences: 0,
  }
}

/** The first crash costs no time; one that comes again and again must not cost the machine. */
export function restartDelayMs(crashes: number): number {
  return crashes <= 1 ? 0 : Math.min(slowestRestartMs, 250 * 2 ** (crashes - 2))
}
