/** The cases that requests and answers of every wire pass, over bodies of the wire and changed ones. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../json/object.ts'
import { isObject } from '../json/object.ts'
import type { Diagnostic } from '../model/diagnostic.ts'

/** A body that is not valid on the wire, or not usual, and that still comes back as it was. */
export type OddBody = readonly [title: string, body: JsonObject]

interface Converted {
  readonly value: JsonObject
  readonly diagnostics: readonly Diagnostic[]
}

/** The value as a JSON parser returns it: plain objects, and no negative zero. */
export const parsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

/** The same text for the same value, whatever the order of its keys; also where a key is called `__proto__`. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : (inner ?? null),
  )

export type RoundTrip = (body: JsonObject) => Converted

export function describeBodies(
  what: 'request' | 'answer',
  bodies: fc.Arbitrary<JsonObject>,
  odd: readonly OddBody[] = [],
  roundTrip: RoundTrip,
  tidiesMalformed = false,
): void {
  const article = what === 'answer' ? 'An' : 'A'
  test(`A valid ${what} comes back as it was, and nothing is reported.`, () => {
    fc.assert(
      fc.property(bodies.map(parsed), body => {
        const before = canonical(body)
        const { value, diagnostics } = roundTrip(body)
        expect(canonical(value)).toBe(before)
        expect(canonical(body)).toBe(before)
        expect(diagnostics).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test(`A field of ${article.toLowerCase()} ${what} that the wire does not know comes back in its place.`, () => {
    const keys = fc.constantFrom('x_unknown', '__proto__', 'constructor', 'toString')
    fc.assert(
      fc.property(bodies.map(parsed), fc.nat(), keys, (body, n, key) => {
        const objects = objectsIn(body)
        addField(objects[n % objects.length] ?? body, key, { x: [1, 'a'] })
        const { value, diagnostics } = roundTrip(body)
        expect(canonical(value)).toBe(canonical(body))
        expect(diagnostics).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  test.each(odd)(`${article} ${what} with %s comes back as it was.`, (_, body) => {
    expect(canonical(roundTrip(body).value)).toBe(canonical(body))
  })

  test(`${article} ${what} with any JSON in any place is read and written without an exception, and not changed.`, () => {
    fc.assert(
      fc.property(
        bodies.map(parsed),
        fc.array(fc.tuple(fc.nat(), oddJson), { maxLength: 3 }),
        (body, changes) => {
          for (const [n, value] of changes) replaceValue(body, n, parsed(value))
          const before = canonical(body)
          const once = roundTrip(body)
          expect(canonical(body)).toBe(before)
          // What is not as it was must have been reported.
          if (once.diagnostics.length === 0 && !tidiesMalformed) expect(canonical(once.value)).toBe(before)
          roundTrip(once.value)
        },
      ),
      { numRuns: 300 },
    )
  })

  test(`${article} ${what} that is not an object of a known shape is read and written without an exception.`, () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), oddJson), body => void roundTrip(parsed(body))))
  })

  test(`${article} ${what} is read by its own keys only.`, () => {
    fc.assert(
      fc.property(bodies.map(parsed), body => {
        expect(roundTrip(Object.create(body) as JsonObject)).toEqual(roundTrip({}))
      }),
      { numRuns: 20 },
    )
  })

  test(`${article} ${what} with values nested deeper than can be written as JSON is read and written.`, () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as unknown
    fc.assert(
      fc.property(bodies.map(parsed), fc.nat(), (body, n) => {
        replaceValue(body, n, { deep })
        roundTrip(body)
      }),
      { numRuns: 50 },
    )
  })
}

/** Values that a wire may meet in the place of others; the words are types that several wires know. */
export const oddJson: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom(null, '', 0, -1, [], {}, [null], ['a', ''], '__proto__', 'toString'),
  fc.record(
    {
      type: fc.constantFrom('text', 'input_text', 'tool_use', 'tool_result', 'image', 'function', 'x'),
      text: fc.jsonValue({ maxDepth: 1 }),
      content: fc.jsonValue({ maxDepth: 2 }),
      name: fc.constantFrom('n', '', null),
      input: fc.jsonValue({ maxDepth: 1 }),
    },
    { requiredKeys: ['type'] },
  ),
)

type Holder = JsonObject | unknown[]

function holdersIn(value: unknown, found: Holder[] = []): Holder[] {
  if (!Array.isArray(value) && !isObject(value)) return found
  found.push(value)
  for (const inner of Object.values(value)) holdersIn(inner, found)
  return found
}

const objectsIn = (value: unknown): JsonObject[] => holdersIn(value).filter(isObject)

/** Also for `__proto__`, as a JSON parser does it. */
function addField(target: Holder, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}

/** Puts the value in the place of one of those that the body holds, at whatever depth. */
export function replaceValue(body: JsonObject, n: number, value: unknown): void {
  const places = holdersIn(body).flatMap(holder => Object.keys(holder).map(key => [holder, key] as const))
  const [holder, key] = places[n % places.length] ?? [body, 'x']
  addField(holder, key, value)
}
