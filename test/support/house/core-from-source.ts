/** For bundles of the sources: the entry points of core as the sources they are built from. */
import { readFileSync } from 'node:fs'
import type { Plugin } from 'esbuild'
import { root } from './source.ts'

const { exports } = JSON.parse(readFileSync(`${root}packages/core/package.json`, 'utf8')) as {
  exports: Readonly<Record<string, { readonly default?: string }>>
}

export const coreFromSource: Plugin = {
  name: 'core-from-source',
  setup({ onResolve }) {
    onResolve({ filter: /^@toolwire\/core(\/|$)/ }, ({ path }) => {
      const built = exports[`.${path.slice('@toolwire/core'.length)}`]?.default
      if (built === undefined) return { errors: [{ text: `Core has no entry point ${path}.` }] }
      return { path: `${root}packages/core/${built.replace('./dist', 'src').replace(/js$/, 'ts')}` }
    })
  },
}
