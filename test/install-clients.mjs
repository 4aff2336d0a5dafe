/**
 * Installs the clients that the tests run against the gateway, from `test/package-lock.json`, if they are not there yet.
 * They have a folder of their own because the root install is what every user of the repository runs first, and some of
 * them warn about the version of Node.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const lock = readFileSync(`${folder}package-lock.json`, 'utf8')
const done = `${folder}node_modules/.installed-lock.json`

if (!existsSync(done) || readFileSync(done, 'utf8') !== lock) {
  process.stdout.write('Installing the clients of the tests …\n')
  const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const shell = process.platform === 'win32'
  const { status } = spawnSync('npm', ['ci', ...quiet], { cwd: folder, stdio: 'inherit', shell })
  if (status === 0) writeFileSync(done, lock)
  process.exitCode = status ?? 1
}
