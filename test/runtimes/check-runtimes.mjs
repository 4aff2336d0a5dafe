/**
 * Runs the fast tests on each Node that is supported, and the built library on these and on Bun, where it must convert
 * the fixtures to exactly what it does here: `npm run check:runtimes [-- node24 bun]`.
 *
 * The runtimes come from npm, without install scripts, and stay in `node_modules/.cache/runtimes`. One that cannot be
 * installed is skipped, and that is said; with `CI` in the environment it counts as a failure.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What vitest runs on each Node. */
const fastTests = ['run', '--project', 'fast']

const { arch, platform } = process
const onWindows = platform === 'win32'

// The packages `node` and `bun` only choose among these, by install scripts, which are not run.
const nodePackage = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${onWindows ? 'win' : platform}-${arch}`
const bunPackage = `@oven/bun-${onWindows ? 'windows' : platform}-${arch === 'arm64' ? 'aarch64' : arch}`

const nodeRuntime = version => ({
  name: `node${version.split('.')[0]}`,
  package: nodePackage,
  version,
  binary: onWindows ? 'bin/node.exe' : 'bin/node',
  runsTests: true,
})
const runtimes = [
  nodeRuntime('20.20.2'),
  nodeRuntime('22.23.3'),
  nodeRuntime('24.21.0'),
  { name: 'bun', package: bunPackage, version: '1.4.4', binary: onWindows ? 'bin/bun.exe' : 'bin/bun' },
]

const root = fileURLToPath(new URL('../..', import.meta.url))
const program = fileURLToPath(new URL('convert-fixtures.mjs', import.meta.url))
const say = text => process.stdout.write(`${text}\n`)

/** Only to be read: a runtime that hangs must not hold up the others. */
function outputOf(command, args, cwd = root) {
  const options = { cwd, encoding: 'utf8', timeout: 5 * 60_000, maxBuffer: 2 ** 28, shell: false }
  const { status, stdout, stderr, error } = spawnSync(command, args, options)
  if (status === 0) return stdout
  const reason = error?.message ?? (stderr || stdout).trim().split('\n').slice(-15).join('\n')
  throw new Error(`${command} ${args.join(' ')} failed: ${reason}`)
}

/** @returns {string} the path of the binary */
function install({ name, package: packageName, version, binary }) {
  if (process.version === `v${version}` && name !== 'bun') return process.execPath
  const folder = join(root, 'node_modules/.cache/runtimes', `${name}-${version}`)
  const path = join(folder, 'node_modules', packageName, binary)
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'package.json'), '{ "private": true }')
    try {
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
      outputOf(onWindows ? 'npm.cmd' : 'npm', ['install', ...quiet, `${packageName}@${version}`], folder)
    } catch (error) {
      rmSync(folder, { recursive: true, force: true })
      throw error
    }
  }
  const said = outputOf(path, ['--version']).trim().replace(/^v/, '')
  if (said !== version) throw new Error(`${path} says it is ${said}.`)
  return path
}

/** The first line that is not the same, for whoever has to find out why. */
function firstDifference(expected, given) {
  const lines = given.split('\n')
  const index = expected.split('\n').findIndex((line, i) => line !== lines[i])
  const title = lines.slice(0, index + 1).findLast(line => /^[a-z]/.test(line))
  return `line ${index + 1}, in "${title}": ${JSON.stringify(lines[index])} instead of ${JSON.stringify(expected.split('\n')[index])}`
}

/** @returns {string[]} what is wrong */
function check({ runsTests }, binary, expected) {
  const faults = []
  try {
    const given = outputOf(binary, [program])
    if (given !== expected) faults.push(`the library converts otherwise: ${firstDifference(expected, given)}`)
  } catch (error) {
    faults.push(error.message)
  }
  if (runsTests) {
    const env = { ...process.env, PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` }
    const args = [join(root, 'node_modules/vitest/vitest.mjs'), ...fastTests]
    if (spawnSync(binary, args, { cwd: root, stdio: 'inherit', env }).status !== 0)
      faults.push('the tests failed')
  }
  return faults
}

const asked = process.argv.slice(2)
const unknown = asked.find(name => runtimes.every(runtime => runtime.name !== name))
if (unknown !== undefined) {
  say(`There is no runtime "${unknown}". They are ${runtimes.map(({ name }) => name).join(', ')}.`)
  process.exit(2)
}

const expected = outputOf(process.execPath, [program])
const results = []
for (const runtime of runtimes) {
  if (asked.length > 0 && !asked.includes(runtime.name)) continue
  const title = `${runtime.name} ${runtime.version}`
  let binary
  try {
    binary = install(runtime)
  } catch (error) {
    results.push({ text: `SKIPPED ${title}: ${error.message}`, failed: Boolean(process.env.CI) })
    continue
  }
  say(`\n${title}: ${binary}`)
  const faults = check(runtime, binary, expected)
  const text = faults.length === 0 ? `passed  ${title}` : `FAILED  ${title}: ${faults.join('; ')}`
  results.push({ text, failed: faults.length > 0 })
}
say(`\n${results.map(({ text }) => text).join('\n')}`)
process.exitCode = results.some(({ failed }) => failed) ? 1 : 0
