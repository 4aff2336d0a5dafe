import fc from 'fast-check'
import { expect, test } from 'vitest'
import { OpenCalls } from './open-calls.ts'

const id = fc.constantFrom('1', '2', '3', '4')
const name = fc.constantFrom('f', 'g')
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), id, name }),
  fc.record({ do: fc.constant('delete' as const), id }),
)

test('A result without an id belongs to the only open call.', () => {
  fc.assert(
    fc.property(fc.array(step), fc.option(name, { nil: undefined }), (steps, wanted) => {
      const open = new OpenCalls()
      const waiting = new Map<string, string>()
      for (const one of steps) {
        if (one.do === 'add') {
          open.add(one.id, one.name)
          waiting.set(one.id, one.name)
        } else {
          open.delete(one.id)
          waiting.delete(one.id)
        }
      }
      const meant = [...waiting].filter(([, called]) => wanted === undefined || called === wanted)
      expect(open.only(wanted)).toBe(meant.length === 1 ? meant[0]?.[0] : undefined)
    }),
  )
})
