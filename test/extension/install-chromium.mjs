/**
 * Gets Chromium from Debian's packages for the tests in a real browser, where that takes no more than asking: as root.
 * Whatever happens, the checks go on; without Chromium those tests are skipped, and it is said how to get it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromiumPath, howToGetChromium } from './find-chromium.mjs'

/** A network that does not answer must not hold up the checks. */
const longestWait = 3 * 60_000

function aptGet(...args) {
  const patience = [
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=30',
    '-o',
    'DPkg::Lock::Timeout=60',
  ]
  const { status } = spawnSync('apt-get', ['-qq', '-y', ...patience, ...args], {
    stdio: 'ignore',
    timeout: longestWait,
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
  return status === 0
}

if (!existsSync(chromiumPath)) {
  const isRoot = process.getuid?.() === 0
  if (isRoot && process.env.CHROMIUM === undefined && existsSync('/usr/bin/apt-get')) {
    process.stderr.write('Installing Chromium for the tests in a real browser…\n')
    const install = ['install', '--no-install-recommends', 'chromium']
    // A slow network is given up before anything is half installed.
    aptGet('update') && aptGet(...install, '--download-only') && aptGet(...install)
  }
  if (!existsSync(chromiumPath)) process.stderr.write(`${howToGetChromium}\n`)
}
