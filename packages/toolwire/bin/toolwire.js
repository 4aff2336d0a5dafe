#!/usr/bin/env node
import { existsSync } from 'node:fs'

const main = new URL('../dist/node/main.js', import.meta.url)
if (existsSync(main)) await import(main.href)
else {
  // Only in a fresh clone: what is published is built.
  process.stderr.write('error: toolwire is not built yet. Run "npm run build" in its repository.\n')
  process.exitCode = 2
}
