/** Every example runs as its own header says, against the built packages, and asserts what it shows. */
import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { installPacked } from '../support/house/packed.ts'
import { root } from '../support/house/source.ts'

const isProgram = (story: string): boolean => existsSync(`${root}examples/${story}/index.mjs`)
const stories = readdirSync(`${root}examples`).filter(isProgram)

test('all but the browser extension, which test/extension runs, are programs for Node', () => {
  expect(readdirSync(`${root}examples`).filter(story => !isProgram(story))).toEqual(['mv3-extension'])
})

test.each(stories)('%s runs', async story => {
  // Building is part of packing, which is done once a run.
  installPacked()
  const { stdout } = await promisify(execFile)(process.execPath, [`${root}examples/${story}/index.mjs`])
  expect(stdout).not.toBe('')
})
