/**
 * Counts what code does, not how long it takes: how often each block of our sources runs (V8's precise coverage), the
 * elements that array methods look at, and the characters that searches in strings pass over. The sources are bundled and
 * loaded anew, because V8 counts only in code that it compiles while it is counting.
 */
import { mkdirSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { coreFromSource } from './core-from-source.ts'
import { root } from './source.ts'

const folder = `${root}node_modules/.cache/toolwire-work`

export interface WorkCounter<Module> {
  readonly module: Module
  count(run: () => unknown): Promise<number>
  /** Code that is compiled while V8 counts stays slow, for whatever else the thread runs. */
  close(): Promise<void>
}

/** `entry` is the path of a module below the repository. */
export async function openWorkCounter<Module>(entry: string): Promise<WorkCounter<Module>> {
  mkdirSync(folder, { recursive: true })
  const outfile = `${folder}/${entry.replaceAll(/\W/g, '-')}-${process.pid}.mjs`
  await build({
    entryPoints: [`${root}${entry}`],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: ['gpt-tokenizer', 'undici', '@photostructure/sqlite'],
    plugins: [coreFromSource],
  })
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const url = `${pathToFileURL(outfile)}?${Date.now()}`
  const module = (await import(/* @vite-ignore */ url)) as Module
  const blocks = async (): Promise<number> => {
    const { result } = await session.post('Profiler.takePreciseCoverage')
    let total = 0
    for (const script of result) {
      if (script.url !== url) continue
      for (const { ranges } of script.functions) for (const { count } of ranges) total += count
    }
    return total
  }
  // Taking the counts sets them to zero.
  await blocks()
  return {
    module,
    async count(run) {
      const scanned = countScans()
      try {
        await run()
      } finally {
        scanned.stop()
      }
      return (await blocks()) + scanned.total()
    },
    async close() {
      await session.post('Profiler.stopPreciseCoverage')
      session.disconnect()
    },
  }
}

const arrayMethods = [
  'includes',
  'indexOf',
  'find',
  'findIndex',
  'some',
  'every',
  'filter',
  'map',
  'flatMap',
  'reduce',
  'slice',
  'concat',
  'join',
  'splice',
  'shift',
  'unshift',
  'toReversed',
  'toSorted',
  'sort',
] as const

/** An upper bound where a method may stop early; repeated over a long list, it is still the sign of a loop in a loop. */
function countScans(): { total(): number; stop(): void } {
  let work = 0
  const undo: (() => void)[] = []
  const wrap = (
    owner: object,
    name: string,
    count: (self: never, args: unknown[], result: unknown) => number,
  ): void => {
    const original: unknown = Reflect.get(owner, name)
    if (typeof original !== 'function') return
    const wrapped = function (this: never, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(original, this, args)
      work += count(this, args, result)
      return result
    }
    Object.defineProperty(owner, name, { value: wrapped, writable: true, configurable: true })
    undo.push(() =>
      Object.defineProperty(owner, name, { value: original, writable: true, configurable: true }),
    )
  }
  for (const name of arrayMethods) {
    wrap(Array.prototype, name, (list: readonly unknown[], _args, result) =>
      // Some look at all, some stop at what they find.
      name === 'indexOf' || name === 'findIndex'
        ? result === -1
          ? list.length
          : Number(result) + 1
        : list.length,
    )
  }
  for (const name of ['indexOf', 'includes'] as const) {
    wrap(String.prototype, name, (text: string, [needle, from = 0], result) => {
      const at = typeof result === 'number' ? result : text.indexOf(String(needle), Number(from))
      return (at === -1 ? text.length : at) - Number(from) + 1
    })
  }
  for (const name of ['split', 'replace', 'replaceAll', 'match', 'trim', 'toLowerCase', 'repeat'] as const) {
    wrap(String.prototype, name, (text: string) => text.length)
  }
  return {
    total: () => work,
    stop() {
      for (const restore of undo) restore()
    },
  }
}
