/** The lock file installs everywhere: complete for every platform, and bound to no registry. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../support/house/source.ts'

interface Locked {
  readonly resolved?: string
  readonly optionalDependencies?: { readonly [name: string]: string }
}

const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as {
  packages: Record<string, Locked>
}
const packages = Object.entries(lock.packages)

test('The lock file records no download address.', () => {
  expect(packages.filter(([, { resolved }]) => resolved?.includes('://'))).toEqual([])
})

test('Every optional dependency, and so every platform, has its entry in the lock file.', () => {
  const missing = packages.flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      name =>
        !(`${path}/node_modules/${name}` in lock.packages) && !(`node_modules/${name}` in lock.packages),
    ),
  )
  expect(packages.length).toBeGreaterThan(50)
  expect(missing).toEqual([])
})
