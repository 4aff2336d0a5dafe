/** Every example runs as its own header says, against the built packages, and asserts what it shows. */
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { installPacked } from '../support/packed.ts'
import { root } from '../support/source.ts'

const stories = readdirSync(`${root}examples`)

test('there are examples', () => expect(stories.length).toBeGreaterThanOrEqual(3))

test.each(stories)('%s runs', async story => {
  // Building is part of packing, which is done once a run.
  installPacked()
  const { stdout } = await promisify(execFile)(process.execPath, [`${root}examples/${story}/index.mjs`])
  expect(stdout).not.toBe('')
})
