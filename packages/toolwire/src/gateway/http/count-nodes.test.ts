import { countJsonNodes } from '@toolwire/core/json'
import { expect, test } from 'vitest'
import { sliceLength } from '../../platform/text-slices.ts'
import { countInTurns, NodeCounter } from './count-nodes.ts'

const texts = [
  '{}',
  '[1,2,{"a":[],"b,{[":"x"}]',
  String.raw`{"a":"\\","b":"\",{[\\\"","c":["\\\\"]}`,
  '"a text, [with] {all} of it \\" and more"',
  '{"a":"never ends, {',
]

test.each(texts)('The nodes of %s are the same, wherever it is cut.', text => {
  for (let first = 0; first <= text.length; first++) {
    for (let second = first; second <= text.length; second++) {
      const counter = new NodeCounter()
      for (const piece of [text.slice(0, first), text.slice(first, second), text.slice(second)])
        counter.add(piece)
      expect(counter.nodes).toBe(countJsonNodes(text))
    }
  }
})

test('Long texts among short ones are counted one by one.', async () => {
  const long = JSON.stringify({ a: '\\"'.repeat(sliceLength), b: [1, { c: 'x'.repeat(sliceLength) }, 3] })
  const all = [...texts.slice(0, 3), long, '[1,2]', long]
  const counts: number[] = []
  await countInTurns(
    all.map(json => ({ json })),
    nodes => counts.push(nodes),
  )
  expect(counts).toEqual(all.map(countJsonNodes))
})
