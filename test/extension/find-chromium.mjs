/** Where Chromium is looked for, and what to say where there is none. */
import { existsSync } from 'node:fs'

/** Debian's place, unless the environment names another. */
export const chromiumPath = process.env.CHROMIUM ?? '/usr/bin/chromium'

export const hasChromium = existsSync(chromiumPath)

export const howToGetChromium = `There is no Chromium at ${chromiumPath}, so the tests in a real browser are skipped. Get it with "apt-get install chromium", or name another in CHROMIUM.`
