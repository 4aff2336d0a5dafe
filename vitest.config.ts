/** Tests run the sources, in named projects: `fast` while working, all of them before a change is done. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { allTests, slowProjects } from './test/support/house/projects.ts'

const manifest = new URL('packages/core/package.json', import.meta.url)

/** Each published entry point of core, as the source it is built from. */
const entries = Object.entries<{ default?: string }>(JSON.parse(readFileSync(manifest, 'utf8')).exports)
const alias = entries.flatMap(([name, { default: built }]) =>
  built === undefined
    ? []
    : [
        {
          find: new RegExp(`^@toolwire/core${name.slice(1)}$`),
          replacement: fileURLToPath(new URL(built.replace('dist', 'src').replace(/js$/, 'ts'), manifest)),
        },
      ],
)

const fast = { name: 'fast', include: [...allTests], exclude: Object.values(slowProjects).flat() }
const slow = Object.entries(slowProjects).map(([name, patterns]) => ({ name, include: [...patterns] }))

export default defineConfig({
  resolve: {
    alias,
  },
  test: {
    projects: [fast, ...slow].map(test => ({ extends: true, test })),
    pool: 'threads',
    // A test that hangs must end; one on a busy machine must not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    isolate: false,
    reporters: ['default', './test/support/house/closing-line.ts'],
    setupFiles: ['./test/support/arbitraries/seed.ts'],
  },
})
