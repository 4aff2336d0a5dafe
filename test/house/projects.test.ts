/** The named groups of tests (`test/support/house/projects.ts`) cover what is there, each file once. */
import { expect, test } from 'vitest'
import { slowProjects } from '../support/house/projects.ts'
import { filesUnder } from '../support/house/source.ts'

const tests = ['packages', 'test'].flatMap(directory =>
  filesUnder(directory, path => path.endsWith('.test.ts')).map(({ path }) => path),
)

/** The few signs that the patterns of projects are written with. */
function toRegExp(pattern: string): RegExp {
  const source = pattern.replaceAll(/\*\*\/|[*{},.]/g, sign => {
    const signs = { '**/': '(.*/)?', '*': '[^/]*', '{': '(', '}': ')', ',': '|', '.': '\\.' }
    return signs[sign as keyof typeof signs]
  })
  return new RegExp(`^${source}$`)
}

const patterns = Object.entries(slowProjects).flatMap(([project, list]) =>
  list.map(pattern => ({ project, pattern, files: tests.filter(path => toRegExp(pattern).test(path)) })),
)

test.each(patterns)('The pattern $pattern of the project $project finds tests.', ({ files }) => {
  expect(files).not.toEqual([])
})

test('No test file belongs to two projects.', () => {
  const files = patterns.flatMap(({ files }) => files)
  expect(files.filter((path, at) => files.indexOf(path) !== at)).toEqual([])
  expect(files.length).toBeLessThan(tests.length / 2)
})
