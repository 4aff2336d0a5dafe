/** The gateway as it runs. */
import { useEffect, useState } from 'preact/hooks'
import { fetchJson } from './api.ts'
import { createLatest } from './latest.ts'

export interface GatewayTool {
  readonly name: string
  readonly description?: string
  readonly parameters?: unknown
  readonly server?: string
}

export interface GatewayStatus {
  readonly version: string
  readonly node: string
  readonly readiness: { readonly status: string; readonly store?: string; readonly reason?: string }
  readonly memory: { readonly used: number; readonly limit: number }
  readonly background: number
  /** Operators look at what clients send, and send nothing themselves. */
  readonly may_send?: boolean
  readonly wires: readonly { readonly name: string; readonly title: string; readonly path: string }[]
  readonly upstreams: readonly {
    readonly name: string
    readonly wire: string
    readonly speaks: readonly string[]
    readonly base_url: string
    readonly models: readonly string[]
    readonly disabled?: string
  }[]
  readonly tools: readonly GatewayTool[]
  readonly about?: {
    readonly config?: unknown
    readonly mcp_servers?: readonly {
      readonly name: string
      readonly tools: number
      readonly problems: readonly string[]
    }[]
  }
}

interface Loaded<T> {
  readonly value: T | undefined
  readonly problem: string | undefined
}

const refreshMs = 5000

/** With `isFollowed` it is loaded again and again, as long as somebody can see it. */
function useJson<T>(path: string, isFollowed = false): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, problem: undefined })
  useEffect(() => {
    const latest = createLatest({
      load: () => fetchJson<T>(path),
      show: value => setLoaded({ value, problem: undefined }),
      fail: error =>
        setLoaded(({ value }) => ({
          value,
          problem: error instanceof Error ? error.message : String(error),
        })),
    })
    latest.want()
    const timer = isFollowed ? setInterval(() => !document.hidden && latest.want(), refreshMs) : undefined
    return () => {
      clearInterval(timer)
      latest.close()
    }
  }, [path, isFollowed])
  return loaded
}

export const useStatus = (isFollowed = false): Loaded<GatewayStatus> =>
  useJson<GatewayStatus>('/toolwire/status', isFollowed)

interface ModelList {
  readonly data: readonly { readonly id: string }[]
}

export function useModels(): readonly string[] {
  return useJson<ModelList>('/toolwire/models').value?.data.map(({ id }) => id) ?? []
}
