/** llms.txt, the list of documents for language models, is generated from their titles. `npm run docs` writes it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { documents } from '../support/house/documents.ts'
import { root } from '../support/house/source.ts'

const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const titleOf = (file: string): string => /^# (.*)$/m.exec(read(file))?.[1]?.replaceAll('`', '') ?? file
const line = (file: string): string => `- [${titleOf(file)}](${file})`
const within = (folder: string): string[] => documents.filter(file => file.startsWith(`docs/${folder}/`))
const guides = documents.filter(file => /^docs\/[^/]+$/.test(file))

const document = [
  '# Toolwire',
  '',
  '> Define tools once, and let any agent call any model with them. Toolwire converts tools, requests, answers and streams between',
  '> OpenAI Chat Completions, OpenAI Responses and Anthropic Messages, as a library and as a gateway, and loses nothing without',
  '> saying so.',
  '',
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'].map(line),
  '',
  '## Guides',
  '',
  ...guides.map(line),
  '',
  '## Clients',
  '',
  ...within('clients').map(line),
  '',
  '## Upstreams',
  '',
  ...within('upstreams').map(line),
  '',
  '## Optional: decisions',
  '',
  ...within('decisions').map(line),
  '',
].join('\n')

test('The document llms.txt lists every document by its title.', async () => {
  await expect(document).toMatchFileSnapshot(`${root}llms.txt`)
})
