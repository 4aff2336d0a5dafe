/** docs/diagnostics.md is generated from the catalogue and the gateway's list of failures. `npm run docs` writes it. */
import { catalog, catalogGroups, severities } from '@toolwire/core/diagnostics'
import { expect, test } from 'vitest'
import { failureCodes } from '../../packages/toolwire/src/gateway/failure-codes.ts'
import { coreSource, root } from '../support/house/source.ts'

const entry = (level: string, code: string, meaning: string, remedy: string): string[] => [
  '',
  `${level} \`${code}\``,
  '',
  meaning,
  '',
  `*Remedy:* ${remedy}`,
]

const ofTheLibrary = catalogGroups.flatMap(({ title, codes }) => [
  '',
  `### ${title}`,
  ...codes.flatMap(code => {
    const { title: heading, explanation, remedy } = catalog[code]
    return entry('####', code, `**${heading}** (${severities[code]}). ${explanation}`, remedy)
  }),
])

const ofTheGateway = Object.entries(failureCodes).flatMap(([code, { title, remedy }]) =>
  entry('###', code, title, remedy),
)

const document = [
  '# Codes',
  '',
  'What the library reports and what the gateway fails with, each under a stable code. On the terminal,',
  '`toolwire explain <code>` says the same.',
  '',
  '## Diagnostics of the library',
  '',
  'Everything Toolwire changes, cannot carry or finds wrong has one of these codes. `info` means nothing is lost,',
  '`warning` that something is lost or weakened, `error` that the result will not work as meant.',
  ...ofTheLibrary,
  '',
  '## Failures of the gateway',
  '',
  'What stands as `code` in an error the gateway itself gives, in its log, its metrics and its traces.',
  ...ofTheGateway,
  '',
].join('\n')

test('The document docs/diagnostics.md matches the catalogue and the list of failures.', async () => {
  await expect(document).toMatchFileSnapshot(`${root}docs/diagnostics.md`)
})

test('Every diagnostic code is explained once, and every explanation belongs to a code.', () => {
  const explained = catalogGroups.flatMap(({ codes }) => codes)
  expect(new Set(explained).size).toBe(explained.length)
  expect([...explained].sort()).toEqual(Object.keys(severities).sort())
})

test('No failure of the gateway has the code of a diagnostic.', () => {
  expect(Object.keys(failureCodes).filter(code => Object.hasOwn(severities, code))).toEqual([])
})

test('Every diagnostic code can occur: a source file other than the catalogue names it.', () => {
  const source = coreSource
    .filter(({ path }) => !/\/diagnostics\/|diagnostic-codes/.test(path))
    .map(({ text }) => text)
  // These are found in the text of a file, which only the command reads, or in answers over time, which the gateway sees.
  const elsewhere = new Set(['duplicate_key', 'number_imprecise', 'unreadable_file', 'compaction_ignored'])
  const unused = Object.keys(severities).filter(
    code => !elsewhere.has(code) && !source.some(text => text.includes(`'${code}'`)),
  )
  expect(unused).toEqual([])
})
