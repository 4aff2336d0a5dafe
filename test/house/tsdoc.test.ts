/** Whoever hovers over a name of ours in an editor, or reads the reference, finds a sentence. */
import { expect, test } from 'vitest'
import { entryPoints, exportsOf } from '../support/house/exported.ts'

const entries = [...entryPoints()]

test.each(entries)('Every export of %s is described.', (_, path) => {
  const bare = exportsOf(path).filter(({ comment }) => comment === undefined)
  expect(bare.map(({ name, file }) => `${name} in ${file}`)).toEqual([])
})

const main = {
  '@toolwire/core': [
    'ToolRegistry',
    'convertTools',
    'createExchange',
    'defineTool',
    'encodeTools',
    'runConversation',
    'runToolCalls',
  ],
  '@toolwire/core/exchange': ['createExchange'],
  '@toolwire/core/lint': ['lintTools'],
  '@toolwire/core/schema': ['createValidator', 'strictify'],
  '@toolwire/core/steps': ['defineStep'],
  '@toolwire/core/testing': ['createScriptedModel'],
  '@toolwire/core/tokens': ['countRequest'],
  toolwire: ['defineConfig'],
  'toolwire/gateway': ['createFetchHandler', 'createGateway'],
}

test.each(Object.entries(main))(
  'The main exports of %s have an example, which another test runs.',
  (entry, names) => {
    const exported = exportsOf(entryPoints().get(entry) ?? '')
    const withExample = exported.filter(({ comment }) => comment?.includes('@example\n * ```js\n'))
    expect(withExample.map(({ name }) => name)).toEqual(expect.arrayContaining(names))
  },
)
