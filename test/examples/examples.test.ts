/** Every example runs as its own header says, against the built packages. Its assertions are its own. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { installPacked } from '../support/house/packed.ts'
import { root } from '../support/house/source.ts'

const isProgram = (story: string): boolean => existsSync(`${root}examples/${story}/index.mjs`)
const stories = readdirSync(`${root}examples`).filter(isProgram)

test('Every example is a Node program, except the browser extension, which test/extension runs.', () => {
  expect(readdirSync(`${root}examples`).filter(story => !isProgram(story))).toEqual(['mv3-extension'])
})

test.each(stories)('The example %s runs and prints something.', async story => {
  // Building is part of packing, which is done once a run.
  installPacked()
  const { stdout } = await promisify(execFile)(process.execPath, [`${root}examples/${story}/index.mjs`])
  expect(stdout).not.toBe('')
})
