/** A lock file installs everywhere: complete for every platform, and bound to no registry. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { root } from '../support/house/source.ts'

interface Locked {
  readonly resolved?: string
  readonly engines?: { readonly node?: string }
  readonly optionalDependencies?: { readonly [name: string]: string }
}

const locked = (file: string): Record<string, Locked> =>
  (JSON.parse(readFileSync(`${root}${file}`, 'utf8')) as { packages: Record<string, Locked> }).packages
const lock = locked('package-lock.json')
const packages = Object.entries(lock)

const files = ['package-lock.json', 'test/package-lock.json', 'site/package-lock.json']

test.each(files)('The lock file %s records no download address.', file => {
  expect(Object.entries(locked(file)).filter(([, { resolved }]) => resolved?.includes('://'))).toEqual([])
})

test('What the root installs runs on the oldest Node that is supported, and so says nothing about it.', () => {
  const oldest = '20.19.0'
  const refusing = packages.filter(
    ([, { engines }]) => engines?.node !== undefined && !allows(engines.node, oldest),
  )
  expect(refusing.map(([path]) => path)).toEqual([])
})

test.each(files)(
  'Every optional dependency, and so every platform, has its entry in the lock file %s.',
  file => {
    const all = locked(file)
    const missing = Object.entries(all).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        name => !(`${path}/node_modules/${name}` in all) && !(`node_modules/${name}` in all),
      ),
    )
    expect(Object.keys(all).length).toBeGreaterThan(50)
    expect(missing).toEqual([])
  },
)

/** Ranges as the lock file has them: alternatives of bounds such as `^20.17.0 || >=22.9.0`. */
function allows(range: string, version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  return range.split('||').some(alternative =>
    alternative
      .trim()
      .split(/(?<=\d)\s+(?=[<>=^~])/)
      .every(bound => {
        const [, sign = '', wanted = '', rest = '0'] = /^([<>=^~]*)\s*v?(\d+)(?:\.(\d+))?/.exec(bound) ?? []
        if (wanted === '') return bound === '*' || bound === ''
        const difference = major - Number(wanted) || minor - Number(rest)
        if (sign.startsWith('>')) return difference >= 0
        if (sign.startsWith('<')) return difference < 0
        return major === Number(wanted) && difference >= 0
      }),
  )
}
