/** Tests run the sources, in named projects: `fast` while working, all of them before a change is done. */
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { coreSources } from './test/support/house/core-sources.mjs'
import { allTests, slowProjects } from './test/support/house/projects.ts'

const alias = Object.entries(coreSources).map(([name, replacement]) => ({
  find: new RegExp(`^${name}$`),
  replacement,
}))

const installed = '**/node_modules/**'
const fast = {
  name: 'fast',
  include: [...allTests],
  exclude: [installed, ...Object.values(slowProjects).flat()],
}
const slow = Object.entries(slowProjects).map(([name, patterns]) => ({
  name,
  include: [...patterns],
  exclude: [installed],
}))

/** Projects in the order of their list; vitest's own order is that of their names. */
class ProjectOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project }: TestSpecification): number => {
      const at = slow.findIndex(({ name }) => name === project.name)
      return at === -1 ? slow.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  resolve: {
    alias,
  },
  test: {
    projects: [fast, ...slow].map(test => ({ extends: true, test })),
    pool: 'threads',
    // By default one core is left idle. Many tests wait for a process, a browser or a server, so one more than cores.
    maxWorkers: availableParallelism() + 1,
    sequence: { sequencer: ProjectOrder },
    // A test that hangs must end; one on a busy machine must not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    isolate: false,
    reporters: ['default', './test/support/house/closing-line.ts'],
    setupFiles: ['./test/support/arbitraries/seed.ts'],
  },
})
