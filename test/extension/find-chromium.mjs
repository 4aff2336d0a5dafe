/** The path of Chromium, and a message for when it is missing. */
import { existsSync } from 'node:fs'

/** Debian's path, unless the environment names another. */
export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const hasChromium = existsSync(chromiumPath)

export const howToGetChromium = `There is no Chromium at ${chromiumPath}, so the tests in a real browser are skipped. Get it with "apt-get install chromium", or name another in CHROMIUM.`
