import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

const core = (path: string): string => fileURLToPath(new URL(`packages/core/src/${path}`, import.meta.url))

export default defineConfig({
  resolve: {
    alias: [
      { find: /^@toolwire\/core$/, replacement: core('index.ts') },
      { find: /^@toolwire\/core\/(\w+)$/, replacement: core('$1/index.ts') },
    ],
  },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    pool: 'threads',
    // A test that hangs must end; one on a busy machine must not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    isolate: false,
    reporters: ['default', './test/support/house/closing-line.ts'],
    setupFiles: ['./test/support/arbitraries/seed.ts'],
  },
})
