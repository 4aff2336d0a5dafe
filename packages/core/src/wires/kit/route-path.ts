/** Paths of routes: segments, some of which hold a parameter in braces, with or without text behind it. */

export interface PathSegment {
  /** The parameter's name; `undefined` where the segment is a fixed text. */
  readonly parameter: string | undefined
  /** The fixed text, or what stands behind the parameter. */
  readonly text: string
}

const withParameter = /^\{(\w+)\}(.*)$/

/** Cuts the path of a route into its segments. */
export function parsePath(path: string): readonly PathSegment[] {
  return path
    .split('/')
    .slice(1)
    .map(segment => {
      const match = withParameter.exec(segment)
      return { parameter: match?.[1], text: match?.[2] ?? segment }
    })
}

/** The parameters of a path whose segments are given decoded; `undefined` when it is another path. */
export function matchPath(
  pattern: readonly PathSegment[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined
  const params: Record<string, string> = {}
  for (let i = 0; i < pattern.length; i++) {
    const { parameter, text } = pattern[i] as PathSegment
    const given = segments[i] as string
    if (parameter === undefined) {
      if (given !== text) return undefined
    } else if (given.length > text.length && given.endsWith(text)) {
      params[parameter] = given.slice(0, given.length - text.length)
    } else return undefined
  }
  return params
}

/** The path with its parameters filled in. */
export function fillPath(path: string, params: { readonly [name: string]: string }): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
}

/** Segments of a path that came from a client, each decoded once. A slash at the end is one too many. */
export function splitPath(path: string): string[] {
  const parts = path.split('/').slice(1)
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  return parts.map(part => {
    if (!part.includes('%')) return part
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
}
