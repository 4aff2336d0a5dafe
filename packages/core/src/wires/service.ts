/** The facet of service: how a wire is spoken over HTTP, as plain records. It imports no URL, no socket, no Node. */
export interface WireService {
  readonly http: WireHttp
}

export interface WireHttp {
  readonly routes: readonly WireRoute[]
}

export interface WireRoute {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Segments; those in braces are parameters. */
  readonly path: string
}
