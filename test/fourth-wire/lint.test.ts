/** Lint on a wire that core does not know: the rules read its facts and codec, and nothing else. */
import { lintToolParams, lintTools } from '@toolwire/core/lint'
import { expect, test } from 'vitest'
import { relay } from './wire/index.ts'

const takes = { type: 'object', properties: { city: { type: 'string' } } }

test('A sound list of Relay tools has no findings.', () => {
  const tools = [{ called: 'get_weather', about: 'Tells the weather.', takes }]
  expect(lintTools(tools, { wire: relay }).findings).toEqual([])
})

test('Findings about Relay tools have their places in the fields of that wire.', () => {
  const body = {
    talk: [],
    toolbox: [
      { called: 'a'.repeat(60), about: 'Long.', takes },
      { called: 'twice', about: 'One.', takes: { type: 'objekt' } },
      { called: 'twice', about: 'Two.', takes },
    ],
  }
  const found = lintToolParams(body, { wire: relay }).findings.map(({ code, path }) => [code, path.join('.')])
  expect(found).toEqual(
    expect.arrayContaining([
      ['name_too_long', 'toolbox.0.called'],
      ['duplicate_tool_name', 'toolbox.2.called'],
      ['schema_type_unknown', 'toolbox.1.takes.type'],
    ]),
  )
})

test('Lint reports what a built-in wire would lose on the way to Relay.', () => {
  const tools = [{ type: 'function', name: 'f', description: 'F.', strict: true, parameters: takes }]
  const { findings } = lintTools(tools, { wire: 'responses', target: relay })
  expect(findings.map(({ code }) => code)).toContain('strict_dropped')
})
