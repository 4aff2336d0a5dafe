/** The gateway as it runs. */
import { useEffect, useState } from 'preact/hooks'
import { fetchJson } from './api.ts'

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

function useJson<T>(path: string): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T>>({ value: undefined, problem: undefined })
  useEffect(() => {
    let isWanted = true
    fetchJson<T>(path).then(
      value => isWanted && setLoaded({ value, problem: undefined }),
      (error: unknown) =>
        isWanted &&
        setLoaded({ value: undefined, problem: error instanceof Error ? error.message : String(error) }),
    )
    return () => {
      isWanted = false
    }
  }, [path])
  return loaded
}

export const useStatus = (): Loaded<GatewayStatus> => useJson<GatewayStatus>('/toolwire/status')

interface ModelList {
  readonly data: readonly { readonly id: string }[]
}

export function useModels(): readonly string[] {
  return useJson<ModelList>('/toolwire/models').value?.data.map(({ id }) => id) ?? []
}
