/** Findings that somebody has looked at and accepts: by a comment in the text, or by the configuration. */

export interface IgnoreRule {
  readonly codes: readonly string[]
  /** Endings of names of files. */
  readonly files?: readonly string[]
}

const comment = /toolwire-lint-ignore(-file)?((?:[ ,]+[a-z_]+)*)/g

export interface Suppressible {
  readonly code: string
  /** The line of the text that it stands in, where that is known. */
  readonly line: number | undefined
}

/** A comment counts for its own line and the next; one that names no code, for all. */
export function createSuppressor(
  name: string,
  text: string,
  rules: readonly IgnoreRule[],
): (finding: Suppressible) => boolean {
  const everywhere = new Set<string>()
  const byLine = new Map<number, string[]>()
  for (const rule of rules) {
    if (rule.files === undefined || rule.files.some(ending => name.endsWith(ending))) {
      for (const code of rule.codes) everywhere.add(code)
    }
  }
  if (text.includes('toolwire-lint-ignore')) {
    text.split(/\r\n|\r|\n/).forEach((line, i) => {
      for (const [, isFile, list = ''] of line.matchAll(comment)) {
        const named = list.split(/[ ,]+/).filter(code => code !== '')
        const codes = named.length === 0 ? [all] : named
        if (isFile !== undefined) for (const code of codes) everywhere.add(code)
        else for (const at of [i + 1, i + 2]) byLine.set(at, [...(byLine.get(at) ?? []), ...codes])
      }
    })
  }
  return ({ code, line }) => {
    const here = line === undefined ? [] : (byLine.get(line) ?? [])
    return everywhere.has(code) || everywhere.has(all) || here.includes(code) || here.includes(all)
  }
}

const all = '*'
