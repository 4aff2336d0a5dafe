/**
 * Writes the software bill of materials (CycloneDX 1.5, JSON) of what users install, from the lock file alone. npm's own
 * command leaves out packages that the tests use too. The same lock file gives the same text; it has no address in it.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const published = ['packages/core', 'packages/toolwire']

/** @typedef {{ version?: string, name?: string, license?: string, integrity?: string, link?: boolean, resolved?: string, dependencies?: object, optionalDependencies?: object }} Locked */

/**
 * Node's way to a package: the nearest folder of that name.
 * @param {Record<string, Locked>} packages
 * @param {string} from
 * @param {string} name
 * @returns {string | undefined}
 */
function find(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    const found = packages[path]
    if (found !== undefined) return found.link ? found.resolved : path
    if (folder === '') return undefined
  }
}

/** @param {string} path */
const nameOf = path => path.split(/^packages\/|node_modules\//).at(-1) ?? path

/** @param {string} name @param {string} version */
const purlOf = (name, version) => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** @param {string} integrity */
function hashOf(integrity) {
  const [algorithm = '', digest = ''] = integrity.split('-')
  return {
    alg: algorithm.toUpperCase().replace('SHA', 'SHA-'),
    content: Buffer.from(digest, 'base64').toString('hex'),
  }
}

/** @param {{ packages: Record<string, Locked> }} lock */
export function billOfMaterials({ packages }) {
  /** @type {Map<string, { component: object, dependsOn: string[] }>} */
  const found = new Map()
  /** @param {string} path @param {boolean} isOptional @returns {string} */
  const add = (path, isOptional) => {
    const { name = nameOf(path), version = '', license, integrity, ...rest } = packages[path] ?? {}
    const ref = purlOf(name, version)
    if (found.has(ref)) return ref
    /** @type {string[]} */
    const dependsOn = []
    const component = {
      type: published.includes(path) ? 'application' : 'library',
      'bom-ref': ref,
      name,
      version,
      scope: isOptional ? 'optional' : 'required',
      purl: ref,
      ...(integrity !== undefined && { hashes: [hashOf(integrity)] }),
      ...(license !== undefined && { licenses: [{ license: { id: license } }] }),
    }
    found.set(ref, { component, dependsOn })
    const { dependencies = {}, optionalDependencies = {} } = rest
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies }).sort()) {
      const target = find(packages, path, each)
      if (target === undefined) throw new Error(`The lock file has no ${each}, which ${name} needs.`)
      dependsOn.push(add(target, isOptional || each in optionalDependencies))
    }
    return ref
  }
  for (const path of published) add(path, false)
  const all = [...found].sort(([a], [b]) => (a < b ? -1 : 1))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    components: all.map(([, { component }]) => component),
    dependencies: all.map(([ref, { dependsOn }]) => ({ ref, dependsOn: [...new Set(dependsOn)].sort() })),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'))
  process.stdout.write(`${JSON.stringify(billOfMaterials(lock), null, 2)}\n`)
}
