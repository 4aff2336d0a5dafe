/** Tests run the sources, in named projects: `fast` while working, all of them before a change is done. */
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { allTests, slowProjects } from './test/support/house/projects.ts'

const core = (path: string): string => fileURLToPath(new URL(`packages/core/src/${path}`, import.meta.url))

const fast = { name: 'fast', include: [...allTests], exclude: Object.values(slowProjects).flat() }
const slow = Object.entries(slowProjects).map(([name, patterns]) => ({ name, include: [...patterns] }))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@toolwire\/core$/, replacement: core('index.ts') },
      { find: /^@toolwire\/core\/(\w+)$/, replacement: core('$1/index.ts') },
    ],
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
