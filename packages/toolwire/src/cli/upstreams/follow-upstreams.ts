/** Upstreams that cannot be reached are switched off with a warning, and on again as soon as they answer. */
import type { Settings } from '../../config/config.ts'
import { WireSet } from '../../config/wires.ts'
import { printable } from '../../terminal/printable.ts'
import type { Environment } from '../serve/environment.ts'
import { upstreamsOf } from '../serve/start-gateway.ts'
import { type FoundModels, findModels, findModelsOf, modelsText } from './models-found.ts'

/** What is followed, and who hears of it. */
interface Followed {
  /** The gateway. */
  readonly running: { update(settings: Settings): Promise<void> }
  readonly settings: Settings
  readonly world: Pick<Environment, 'fetch' | 'every'>
  warn(text: string): void
  tell(line: string): void
}

export interface FollowedUpstreams {
  /** What each has, or `undefined` where there is nobody to ask. Those that cannot be reached are switched off. */
  look(): Promise<(FoundModels | undefined)[]>
  /** Warns of what was found, and looks for those that did not answer until they do. */
  follow(): void
  /** Takes over other settings, and looks at their upstreams. */
  update(settings: Settings): Promise<void>
  stop(): void
}

const againMs = 3_000

export function followUpstreams({
  running,
  settings: first,
  world,
  warn,
  tell,
}: Followed): FollowedUpstreams {
  let settings = first
  let found: readonly (FoundModels | undefined)[] = []
  /** Why they are switched off, by name. */
  const off = new Map<string, string>()
  /** Those that have not answered yet. */
  let silent = new Set<FoundModels>()
  let stopAsking = (): void => {}

  const look = async (): Promise<(FoundModels | undefined)[]> => {
    const asked = settings
    const answers = await findModels(await upstreamsOf(asked), new WireSet(asked.wires), world)
    // Others have taken their place meanwhile.
    if (asked !== settings) return answers
    found = answers
    for (const one of answers) if (one?.isUnreachable === true) off.set(one.upstream.name, whyOff(one))
    if (off.size > 0) await running.update(withDisabled(settings, off))
    return answers
  }

  const askAgain = async (one: FoundModels): Promise<void> => {
    const answer = await findModelsOf(one.upstream, new WireSet(settings.wires), world)
    if (answer.failure !== undefined || !silent.delete(one)) return
    if (off.delete(one.upstream.name)) await running.update(withDisabled(settings, off))
    tell(`${printable(one.upstream.name)} answers now: ${modelsText(answer)}.`)
  }

  const wait = (): void => {
    if (silent.size === 0) return
    const busy = new Set<FoundModels>()
    stopAsking = world.every(againMs, () => {
      if (silent.size === 0) return stopAsking()
      for (const one of silent) {
        if (busy.has(one)) continue
        busy.add(one)
        void askAgain(one).finally(() => busy.delete(one))
      }
    })
  }

  const follow = (): void => {
    for (const text of reachWarnings(found)) warn(text)
    silent = new Set(found.flatMap(one => (one?.failure === undefined ? [] : [one])))
    wait()
  }

  return {
    look,
    follow,
    async update(changed) {
      const before = silent
      silent = new Set()
      stopAsking()
      try {
        await running.update(changed)
      } catch (error) {
        silent = before
        wait()
        throw error
      }
      settings = changed
      off.clear()
      void look().then(() => {
        if (settings === changed) follow()
      })
    },
    stop() {
      silent = new Set()
      stopAsking()
      // An answer that is still on its way is for nobody.
      settings = { ...settings }
    },
  }
}

/** `reasons`: by the names of upstreams. */
export function withDisabled(settings: Settings, reasons: ReadonlyMap<string, string>): Settings {
  const upstreams = settings.upstreams.map(upstream => {
    const disabled = upstream.disabled ?? reasons.get(upstream.name)
    return disabled === undefined ? upstream : { ...upstream, disabled }
  })
  return { ...settings, upstreams }
}

/** For those who are to know it as a message. */
export function disabledIn({ upstreams }: Settings): ReadonlyMap<string, string> {
  return new Map(
    upstreams.flatMap(({ name, disabled }) => (disabled === undefined ? [] : [[name, disabled]])),
  )
}

function whyOff({ upstream: { baseUrl }, failure }: FoundModels): string {
  return `nothing answers at ${baseUrl} (${failure}). Start it, or correct its "baseUrl"; it is tried again every ${againMs / 1000} seconds.`
}

/** What to do about upstreams that cannot be used as they are. */
function reachWarnings(found: readonly (FoundModels | undefined)[]): string[] {
  const others = found.length > 1 ? ' The other upstreams are served.' : ''
  return found.flatMap(one => {
    if (one === undefined) return []
    const { upstream, status, failure, isUnreachable } = one
    const { name, baseUrl, apiKey } = upstream
    if (isUnreachable === true) {
      return [
        `Upstream ${name} is switched off: nothing answers at ${baseUrl} (${failure}). Start it, or correct its "baseUrl"; as soon as it answers, it is used again.${others}`,
      ]
    }
    if (failure !== undefined) {
      return [
        `Upstream ${name} does not answer at ${baseUrl} (${failure}). Start it, or correct its "baseUrl".${others}`,
      ]
    }
    if (status !== 401 && status !== 403) return []
    const remedy = apiKey === undefined ? 'Give it one with "apiKeyEnv".' : 'Replace it, and start again.'
    return [
      `Upstream ${name} refuses its key (status ${status}). ${remedy} Until then, requests for it fail.${others}`,
    ]
  })
}
