import { readFileSync } from 'node:fs'
import { convertTools } from '@toolwire/core'
import { expect, test } from 'vitest'
import { builtInWireSet } from '../../config/wires.ts'
import { checkHostedType } from './job.ts'

const fixtures = new URL('../../../../../fixtures/', import.meta.url)

/** The types of a fixture's tools that core knows as hosted: only those have their policy refused. */
function hostedTypesOf(wire: 'responses' | 'messages', story: string): string[] {
  const text = readFileSync(new URL(`${wire}/${story}/body.json`, fixtures), 'utf8')
  const { tools } = JSON.parse(text) as { tools: { type?: string }[] }
  const { diagnostics } = convertTools(tools, { from: wire, to: 'chat', hostedTools: 'error' })
  return diagnostics
    .filter(({ code }) => code === 'hosted_tool_refused')
    .map(({ path: [index] }) => tools[Number(index)]?.type ?? '')
}

test.each([
  ['responses', 'hosted', 15],
  ['messages', 'server-tools', 6],
  ['messages', 'client-tools', 5],
] as const)('Every hosted type of the fixture %s/%s is known.', (wire, story, atLeast) => {
  const types = hostedTypesOf(wire, story)
  expect(types.length).toBeGreaterThanOrEqual(atLeast)
  for (const type of types) expect(() => checkHostedType(type, builtInWireSet), type).not.toThrow()
})

test.each(['tomorrow_tool', 'teleport_20270101', 'toString', '', 'web_serch', 'web_search_2025'])(
  'There is no hosted type %j.',
  type => expect(() => checkHostedType(type, builtInWireSet)).toThrow('there is no hosted tool type'),
)
