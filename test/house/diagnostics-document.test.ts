/** docs/diagnostics.md says exactly what the catalogue says. `npm run docs` writes it anew. */
import { catalog, catalogGroups, severities } from '@toolwire/core/diagnostics'
import { expect, test } from 'vitest'
import { coreSource, root } from '../support/source.ts'

const document = [
  '# Diagnostics',
  '',
  'Everything Toolwire changes, cannot carry or finds wrong has one of these codes. `info` means nothing is lost,',
  '`warning` that something is lost or weakened, `error` that the result will not work as meant. On the terminal,',
  '`toolwire explain <code>` says the same.',
  ...catalogGroups.flatMap(({ title, codes }) => [
    '',
    `## ${title}`,
    ...codes.flatMap(code => {
      const { title: heading, explanation, remedy } = catalog[code]
      return [
        '',
        `### \`${code}\``,
        '',
        `**${heading}** (${severities[code]}). ${explanation}`,
        '',
        `*Remedy:* ${remedy}`,
      ]
    }),
  ]),
  '',
].join('\n')

test('the document is the catalogue', async () => {
  await expect(document).toMatchFileSnapshot(`${root}docs/diagnostics.md`)
})

test('every code is explained once, and every explanation is of a code', () => {
  const explained = catalogGroups.flatMap(({ codes }) => codes)
  expect(new Set(explained).size).toBe(explained.length)
  expect([...explained].sort()).toEqual(Object.keys(severities).sort())
})

test('every code can occur: some source other than the catalogue names it', () => {
  const source = coreSource
    .filter(({ path }) => !/\/diagnostics\/|diagnostic-codes/.test(path))
    .map(({ text }) => text)
  // What only a reader of text can see is found by the command.
  const elsewhere = new Set(['duplicate_key', 'number_imprecise', 'unreadable_file'])
  const unused = Object.keys(severities).filter(
    code => !elsewhere.has(code) && !source.some(text => text.includes(`'${code}'`)),
  )
  expect(unused).toEqual([])
})
