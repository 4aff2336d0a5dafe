/** The bill of materials names what users install, and nothing of this machine. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { billOfMaterials } from '../../packages/sbom.mjs'
import { root } from '../support/house/source.ts'

const lock = JSON.parse(readFileSync(`${root}package-lock.json`, 'utf8')) as Parameters<
  typeof billOfMaterials
>[0]
const bill = billOfMaterials(lock)
const components = bill.components as readonly {
  readonly name: string
  readonly version: string
  readonly scope: string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}[]

test('Every package that the published ones declare is in the bill of materials, with its locked version and hash.', () => {
  for (const folder of ['core', 'toolwire']) {
    const manifest = JSON.parse(readFileSync(`${root}packages/${folder}/package.json`, 'utf8')) as {
      dependencies?: Record<string, string>
      optionalDependencies?: Record<string, string>
    }
    for (const [name, version] of Object.entries({
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
    })) {
      const found = components.find(component => component.name === name)
      expect(found).toMatchObject({ name, version })
      if (!name.startsWith('@toolwire/')) expect(found?.hashes?.[0]?.content).toMatch(/^[0-9a-f]{128}$/)
    }
  }
  const names = components.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['@toolwire/core', 'toolwire']))
  expect(components.find(({ name }) => name === '@photostructure/sqlite')?.scope).toBe('optional')
})

test('SECURITY.md says on how many packages the published ones depend.', () => {
  const words = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
  const countsOf = (folder: string): (string | undefined)[] => {
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(`${root}packages/${folder}/package.json`, 'utf8'),
    ) as Record<string, object | undefined>
    return [dependencies, optionalDependencies].map(list => words[Object.keys(list).length])
  }
  const said =
    /`@toolwire\/core` depends on (\w+) package, `toolwire` on (\w+) and, where it can be had, on (\w+) more/
  const [, ...counts] = said.exec(readFileSync(`${root}SECURITY.md`, 'utf8')) ?? []
  expect(counts).toEqual([countsOf('core')[0], ...countsOf('toolwire')])
})

test('Whatever a listed package depends on is listed too, and packages of the tests are not.', () => {
  const listed = new Set(bill.dependencies.map(({ ref }) => ref))
  expect(bill.dependencies.flatMap(({ dependsOn }) => dependsOn.filter(ref => !listed.has(ref)))).toEqual([])
  expect(components.map(({ name }) => name)).not.toContain('vitest')
})

test('The bill of materials has no address and no path of a machine in it.', () => {
  expect(JSON.stringify(bill)).not.toMatch(/https?:|file:|node_modules|\\/)
})
