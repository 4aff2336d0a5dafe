/**
 * Installs Chromium from Debian's packages for the tests in a real browser, if the process is root. A failure does not
 * stop the checks: without Chromium those tests are skipped, and a message says how to install it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromiumPath, howToGetChromium } from './find-chromium.mjs'

/** A network that does not answer must not delay the checks for longer. */
const longestWait = 3 * 60_000

function aptGet(...args) {
  const limits = [
    '-o',
    'Acquire::Retries=1',
    '-o',
    'Acquire::http::Timeout=30',
    '-o',
    'DPkg::Lock::Timeout=60',
  ]
  const { status } = spawnSync('apt-get', ['-qq', '-y', ...limits, ...args], {
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
    // Downloading first, so that a slow network cannot leave a half-finished installation.
    aptGet('update') && aptGet(...install, '--download-only') && aptGet(...install)
  }
  if (!existsSync(chromiumPath)) process.stderr.write(`${howToGetChromium}\n`)
}
