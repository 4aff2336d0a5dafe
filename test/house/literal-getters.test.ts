/**
 * A getter written into an object that is made anew for each request or stream gives every such object a shape of its
 * own in V8, and shapes are kept until the next full collection, with all that the getter can see. A class costs nothing.
 */
import { expect, test } from 'vitest'
import { allSource, type SourceFile } from '../support/house/source.ts'
import { walk } from '../support/house/syntax.ts'

/** Rooms on the way of a request or an answer. */
const rooms = /\/src\/(json|model|sse|schema|wires|convert|gateway|telemetry)\//
/** Objects that are made once for a gateway. */
const madeOnce = /\/(create-gateway|make-context|background-runs)\.ts$/

function hasLiteralGetter(file: SourceFile): boolean {
  let found = false
  walk(file, node => {
    if (node.type === 'Property' && node.kind === 'get') found = true
  })
  return found
}

test('On the way of a request no object literal has a getter.', () => {
  const files = allSource.filter(({ path }) => rooms.test(path) && !madeOnce.test(path))
  expect(files.length).toBeGreaterThan(200)
  expect(files.filter(hasLiteralGetter).map(({ path }) => path)).toEqual([])
})

test('Every file that may have such a getter has one.', () => {
  const excepted = allSource.filter(({ path }) => madeOnce.test(path))
  expect(excepted.filter(file => !hasLiteralGetter(file)).map(({ path }) => path)).toEqual([])
})
