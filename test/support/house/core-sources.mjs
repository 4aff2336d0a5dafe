/** Each published entry point of core, and the source that it is built from. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const manifest = new URL('../../../packages/core/package.json', import.meta.url)

/** @type {Record<string, string>} */
export const coreSources = Object.fromEntries(
  Object.entries(JSON.parse(readFileSync(manifest, 'utf8')).exports).flatMap(([name, { default: built }]) =>
    built === undefined
      ? []
      : [
          [
            `@toolwire/core${name.slice(1)}`,
            fileURLToPath(new URL(built.replace('dist', 'src').replace(/js$/, 'ts'), manifest)),
          ],
        ],
  ),
)
