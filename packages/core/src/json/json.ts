/**
 * The few JSON helpers every room needs. Objects that come from a wire are data: their keys are read with
 * `own`, never through the prototype, and new objects are built so that a key named `__proto__` stays a key.
 */

export type JsonObject = { readonly [key: string]: unknown }

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The object's own value under `key`; inherited members such as `constructor` do not count. */
export function own(object: JsonObject, key: string): unknown {
  const value = object[key]
  // Most keys that are asked for are not there, and then nobody needs to know whose they are not.
  return value !== undefined && Object.hasOwn(object, key) ? value : undefined
}

/** Sets an own, enumerable key even when it is called `__proto__`. */
export function setOwn(target: Record<string, unknown>, key: string, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true })
  } else {
    target[key] = value
  }
}

/** Gives the target all that the source has. The target is the caller's own; no key can reach its prototype. */
export function assignOwn(target: Record<string, unknown>, source: JsonObject): Record<string, unknown> {
  for (const key of Object.keys(source)) setOwn(target, key, source[key])
  return target
}

/** A shallow copy without the given keys, in the same key order. */
export function omit(object: JsonObject, keys: readonly string[]): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(object)) if (!keys.includes(key)) setOwn(copy, key, object[key])
  return copy
}

/** Adds to the list; a spread into `push` would need as much stack as there is to add. */
export function append<T>(list: T[], more: readonly T[]): void {
  for (const item of more) list.push(item)
}

/** An object while it is being built, before anybody else sees it. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] }

type Compact<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/**
 * The object without the keys whose value is `undefined`: absent is written as absent. One that has none is given back
 * itself, so what is handed in must be the caller's own.
 */
export function compact<T extends object>(object: T): Compact<T> {
  const given = object as Record<string, unknown>
  const keys = Object.keys(given)
  if (!keys.some(key => given[key] === undefined)) return given as Compact<T>
  const written: Record<string, unknown> = {}
  for (const key of keys) if (given[key] !== undefined) setOwn(written, key, given[key])
  return written as Compact<T>
}

const quoteOrNumber = /"|-?\d[\d.eE+-]*/g

/**
 * The JSON text with its numbers changed, each given as it is written. Texts in it are jumped over by looking for their
 * closing quotes: a pattern for them would need as much stack as they are long.
 */
export function mapNumbers(text: string, change: (number: string) => string): string {
  const pattern = new RegExp(quoteOrNumber)
  const pieces: string[] = []
  let done = 0
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [token] = match
    if (token === '"') {
      const end = closingQuote(text, match.index + 1)
      if (end === -1) break
      pattern.lastIndex = end + 1
      continue
    }
    pieces.push(text.slice(done, match.index), change(token))
    done = pattern.lastIndex
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(done)
}

const backslash = 0x5c

/** Where the text of JSON ends whose first letter stands at this place; -1 when it has no end. */
export function closingQuote(text: string, start: number): number {
  let end = text.indexOf('"', start)
  while (end !== -1) {
    if (escapesBefore(text, end, start) % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return -1
}

/** Whether the JSON text has more than so many lists and objects inside one another. */
export function nestsDeeper(text: string, levels: number): boolean {
  // Each of them is closed again.
  if (text.length <= 2 * levels) return false
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = closingQuote(text, at + 1)
        if (at === -1) return false
        break
      case '{':
      case '[':
        if (++depth > levels) return true
        break
      case '}':
      case ']':
        depth--
    }
  }
  return false
}

/** How many backslashes stand right before this place. */
export function escapesBefore(text: string, end: number, start: number): number {
  let escapes = 0
  while (end - escapes > start && text.charCodeAt(end - 1 - escapes) === backslash) escapes++
  return escapes
}

/** Whether reading the JSON text as JavaScript does would change a number in it. */
export function changesNumbers(text: string): boolean {
  if (!/\d{16}/.test(text)) return false
  let changes = false
  mapNumbers(text, token => {
    const digits = token.replace(/^-|[.eE].*$/g, '')
    changes ||= digits.length > 15 && !Number.isSafeInteger(Number(token))
    return token
  })
  return changes
}

/** A value as a message shows it: texts in quotes, anything else by its kind, never at length. */
export function show(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (value === undefined) return 'nothing'
  return Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
