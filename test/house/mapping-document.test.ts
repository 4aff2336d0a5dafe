/** docs/mapping.md is found out by converting, not written by hand. `npm run docs` writes it anew. */
import type { BuiltInWire as Wire } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import { expect, test } from 'vitest'
import { conversationFixtures } from '../support/fixtures/conversations.ts'
import type { FieldRow } from '../support/fixtures/field-map.ts'
import { mapFields } from '../support/fixtures/field-map.ts'
import { fixtures, malformed, wires } from '../support/fixtures/fixtures.ts'
import { root } from '../support/house/source.ts'

const titles: { readonly [W in Wire]: string } = {
  chat: 'Chat',
  responses: 'Responses',
  messages: 'Messages',
}
const pinned = { newId: (prefix: string) => `${prefix}id`, now: () => 1_700_000_000 }

function table(from: Wire, rows: readonly FieldRow[]): string[] {
  const targets = wires.filter(wire => wire !== from)
  return [
    `| On ${titles[from]} | ${targets.map(wire => titles[wire]).join(' | ')} |`,
    '|---|---|---|',
    ...rows.map(
      ({ field, fates }) => `| \`${field}\` | ${targets.map(wire => fates.get(wire) ?? '').join(' | ')} |`,
    ),
    '',
  ]
}

const sections = wires.flatMap(from => {
  const tools = fixtures
    .filter(({ wire, story }) => wire === from && !malformed.has(`${wire}/${story}`))
    .map(({ body }) => body)
  const requests = conversationFixtures('requests')
    .filter(({ wire }) => wire === from)
    .map(({ body }) => body)
  const answers = conversationFixtures('answers')
    .filter(({ wire }) => wire === from)
    .map(({ body }) => body)
  const asked = mapFields([...requests, ...tools], (body, to) =>
    createExchange({ from, to, ...pinned }).request(body),
  )
  const answered = mapFields(answers, (body, to) =>
    createExchange({ from: to, to: from, ...pinned }).response(body),
  )
  return [
    `## Requests from ${titles[from]}`,
    '',
    ...table(from, asked),
    `## Answers from ${titles[from]}`,
    '',
    ...table(from, answered),
  ]
})

const document = [
  '# Where every field goes',
  '',
  'Found out by converting the stories under `fixtures/` with every field marked. A path says where the field arrives; a',
  'name in *italics* is the diagnostic that tells what became of it ([diagnostics.md](diagnostics.md)); *restated* means',
  'that the target says the same in its own words, such as a total or a time. Positions in lists are written `[]`.',
  '',
  ...sections,
].join('\n')

test('the document is what conversion does', async () => {
  await expect(document).toMatchFileSnapshot(`${root}docs/mapping.md`)
})
