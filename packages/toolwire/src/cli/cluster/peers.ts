/**
 * What a worker process shares with the others of the same gateway: metrics, traces, usage and the sessions of the
 * inspector are found whichever of them is asked. Everything else they share through the store.
 */
import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { isObject } from '@toolwire/core/json'
import type { LocalSessions, Session, SessionPeers } from '../../gateway/inspector/sessions.ts'
import type { TraceReader, TraceWatch } from '../../telemetry/observer.ts'
import type { Handler } from './calls.ts'

export interface Peers {
  /** One of them speaks for all, where each would print the same. */
  readonly isSpeaker: boolean
  /** Asks all the others, and returns what those say that answer in time. */
  askOthers(name: string, ...given: readonly unknown[]): Promise<readonly unknown[]>
  /** Asks the process that started all of them. */
  askPrimary(name: string, ...given: readonly unknown[]): Promise<unknown>
  /** Takes the connections that this process is given. */
  onConnection(take: (socket: Socket) => void): void
  /** Answers such a question. */
  on(name: string, handler: Handler): void
}

/** How long a watch lives that nobody asks for news. */
const watchMs = 30_000

export function shareTraces(own: TraceReader, peers: Peers): TraceReader {
  const watches = new Map<string, { readonly watch: TraceWatch; timer: NodeJS.Timeout }>()
  const forget = (id: string): void => {
    watches.get(id)?.watch.close()
    watches.delete(id)
  }
  peers.on('trace-list', (limit: number, owner?: string) => own.list(limit, owner))
  peers.on('trace', (id: string, owner?: string) => own.get(id, owner))
  peers.on('trace-news', (id: string, owner?: string) => {
    clearTimeout(watches.get(id)?.timer)
    const watch = watches.get(id)?.watch ?? own.watch?.()
    if (watch === undefined) return []
    watches.set(id, { watch, timer: setTimeout(() => forget(id), watchMs).unref() })
    return watch.take(owner)
  })
  return {
    async list(limit, owner) {
      const lists = await Promise.all([own.list(limit, owner), peers.askOthers('trace-list', limit, owner)])
      return newestFirst([lists[0], ...lists[1]]).slice(0, limit)
    },
    async get(id, owner) {
      const here = await own.get(id, owner)
      if (here !== undefined) return here
      const found = (await peers.askOthers('trace', id, owner)).filter(each => each !== undefined)
      // The beginning of an id that fits several is the name of none.
      return new Set(found.map(idOf)).size === 1 ? found[0] : undefined
    },
    watch() {
      const id = randomUUID()
      const watch = own.watch?.()
      void peers.askOthers('trace-news', id)
      return {
        async take(owner) {
          const news = await Promise.all([watch?.take(owner) ?? [], peers.askOthers('trace-news', id, owner)])
          return newestFirst([news[0], ...news[1]])
        },
        close: () => watch?.close(),
      }
    },
  }
}

const idOf = (trace: unknown): unknown =>
  isObject(trace) && isObject(trace.summary) ? trace.summary.id : undefined

/** Lists of summaries as one, by when the exchanges began. What the store keeps stands in several of them. */
export function newestFirst(lists: readonly unknown[]): unknown[] {
  const begin = (summary: unknown): string =>
    isObject(summary) && typeof summary.time === 'string' ? summary.time : ''
  const all = new Map<unknown, unknown>()
  for (const summary of lists.flatMap(list => (Array.isArray(list) ? (list as unknown[]) : []))) {
    if (isObject(summary) && !all.has(summary.id)) all.set(summary.id, summary)
  }
  return [...all.values()].sort((a, b) => (begin(a) < begin(b) ? 1 : begin(a) > begin(b) ? -1 : 0))
}

export function shareSessions(peers: Peers): (local: LocalSessions) => SessionPeers {
  return local => {
    peers.on('sessions', () => local.all())
    peers.on('session-opened', (token: string, session: Session) => local.add(token, session))
    peers.on('session-closed', (token: string) => local.remove(token))
    peers.on('take-code', (code: string) => local.takeCode(code))
    const learn = async (): Promise<void> => {
      for (const known of await peers.askOthers('sessions')) {
        for (const [token, session] of known as ReturnType<LocalSessions['all']>) local.add(token, session)
      }
    }
    void learn()
    return {
      opened: async (token, session) => void (await peers.askOthers('session-opened', token, session)),
      closed: async token => void (await peers.askOthers('session-closed', token)),
      async takeCode(code) {
        const owners = await peers.askOthers('take-code', code)
        return owners.find(owner => typeof owner === 'string')
      },
    }
  }
}
