/** Files stay short enough to read in one sitting. */
import { expect, test } from 'vitest'
import { filesUnder } from '../support/house/source.ts'

const limit = 400

test(`no source or test file is longer than ${limit} lines`, () => {
  const files = ['packages', 'test'].flatMap(directory => filesUnder(directory, path => path.endsWith('.ts')))
  expect(files.length).toBeGreaterThan(50)
  const long = files
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > limit)
  expect(long).toEqual([])
})
