/** The background responses that run in this process: how many there may be, and how they are cancelled. */
import { OwnerShares } from '../../platform/owner-shares.ts'
import { GatewayError, retryLater, shuttingDown, unavailable } from '../errors.ts'

export interface BackgroundRuns {
  /**
   * Refuses when too many run, of all or of this share. Resolves when the receipt is stored; from then on the work goes on without its client.
   */
  start(owner: string, id: string, share: string, job: BackgroundJob): Promise<void>
  /** Aborts the work and waits for its end; `false` when it is not running here. */
  cancel(owner: string, id: string): Promise<boolean>
  /** Aborts everything that runs, and refuses what comes later. */
  stop(): void
  /** Resolves when nothing runs any more. */
  settled(): Promise<void>
  /** How many run. */
  readonly size: number
}

interface BackgroundJob {
  saveReceipt(): Promise<void>
  /** Never rejects. */
  work(abort: AbortController): Promise<void>
}

export function createBackgroundRuns(limit: number, shareLimit: number): BackgroundRuns {
  const shares = new OwnerShares()
  const running = new Map<string, { abort: AbortController; done: Promise<void> }>()
  const keyOf = (owner: string, id: string): string => `${owner} ${id}`
  let isStopped = false
  return {
    async start(owner, id, share, { saveReceipt, work }) {
      if (isStopped) throw shuttingDown()
      if (running.size >= limit) {
        throw unavailable(`${limit} background responses are already being worked on.`, {
          code: 'too_many_background_responses',
        })
      }
      if (shares.of(share) >= shareLimit) {
        throw new GatewayError(
          'rate_limit',
          `${shareLimit} background responses of this key are already being worked on.`,
          { code: 'too_many_background_responses', headers: retryLater },
        )
      }
      const key = keyOf(owner, id)
      const abort = new AbortController()
      const saved = saveReceipt()
      const done = saved.then(
        () => work(abort),
        () => {},
      )
      const end = (): void => {
        running.delete(key)
        shares.add(share, -1)
      }
      shares.add(share, 1)
      running.set(key, { abort, done: done.finally(end) })
      await saved
    },
    async cancel(owner, id) {
      const found = running.get(keyOf(owner, id))
      if (found === undefined) return false
      found.abort.abort(new GatewayError('server', 'The response was cancelled.', { code: 'cancelled' }))
      await found.done
      return true
    },
    stop() {
      isStopped = true
      for (const { abort } of running.values()) {
        abort.abort(new GatewayError('server', 'The gateway was stopped.', { code: 'server_restart' }))
      }
    },
    async settled() {
      await Promise.all([...running.values()].map(({ done }) => done))
    },
    get size() {
      return running.size
    },
  }
}
