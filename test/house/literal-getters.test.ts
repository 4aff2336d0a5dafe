/**
 * A getter written into an object that is made anew for each request or stream gives every such object a shape of its
 * own in V8, and shapes are kept until the next full collection, with all that the getter can see. A class costs nothing.
 */
import { expect, test } from 'vitest'
import { appSource, coreSource } from '../support/house/source.ts'

/** Rooms on the way of a request or an answer. */
const rooms = /\/src\/(model|sse|schema|codecs|convert|gateway|telemetry)\//
/** Objects that are made once for a gateway. */
const madeOnce = /\/(create-gateway|background-runs|trace-ring)\.ts$/
/** Getters of classes say their type. */
const literalGetter = /^\s+get [\w#]+\(\) \{/m

test('on the way of a request no object has a getter of its own', () => {
  const files = [...coreSource, ...appSource].filter(({ path }) => rooms.test(path) && !madeOnce.test(path))
  expect(files.length).toBeGreaterThan(100)
  expect(files.filter(({ text }) => literalGetter.test(text)).map(({ path }) => path)).toEqual([])
})
