/**
 * A list whose length the input decides is not spread into the arguments of a call: from about 120,000 items on, that
 * overflows the stack. `append` of `json/object.ts` does the same in a loop.
 */
import { expect, test } from 'vitest'
import { allSource } from '../support/house/source.ts'
import { type Node, walk } from '../support/house/syntax.ts'

/** Files in which the length is ours or the developer's to decide, and why. */
const bounded: Readonly<Record<string, string>> = {
  'packages/core/src/runtime/calls/bytes.ts': 'a piece of fixed length',
  'packages/core/src/json/nearest-names.ts': 'names of at most 100 characters',
  'packages/core/src/lint/parameters.ts': 'parameters that are passed on',
  'packages/core/src/schema/validate/scalar.ts': 'two words',
  'packages/core/src/sse/whole-events.ts': 'three kinds of blank lines',
  'packages/core/src/wires/messages/tools/hosted-tools.ts': 'names of commands',
  'packages/toolwire/src/demo/completion.ts': 'the calls that the demo model makes',
  'packages/toolwire/src/gateway/routes/openapi.ts': 'wires',
  'packages/toolwire/src/store/shared/shared-claims.ts': 'parameters of a procedure',
  'packages/toolwire/src/store/shared/shared-events.ts': 'parameters of a procedure',
  'packages/toolwire/src/store/shared/shared-store.ts': 'parameters of a procedure',
  'packages/toolwire/src/store/sqlite-database.ts': 'parameters of a statement',
  'packages/toolwire/src/store/sqlite-records.ts': 'parameters of a statement',
  'packages/toolwire/src/telemetry/metric-families.ts': 'lines of a head',
  'packages/toolwire/src/telemetry/metrics.ts': 'names of labels',
}
/** Rooms that see only the developer's own schemas, settings and screen. */
const ownInput = /^packages\/(core\/src\/testing|toolwire\/src\/(cli|config))\//

function hasSpread(node: Node): boolean {
  if (node.type !== 'CallExpression' && node.type !== 'NewExpression') return false
  return node.arguments.some(({ type }) => type === 'SpreadElement')
}

test('No list of unknown length is spread into the arguments of a call.', () => {
  const found = new Set<string>()
  for (const file of allSource) {
    if (ownInput.test(file.path)) continue
    walk(file, node => {
      if (hasSpread(node)) found.add(file.path)
    })
  }
  expect([...found].sort()).toEqual(Object.keys(bounded).sort())
})
