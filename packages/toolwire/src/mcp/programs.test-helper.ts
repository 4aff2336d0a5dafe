/** Bundles test helpers to programs that Node can run. */
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../../..')

export interface Programs {
  /** A program that calls this function of this file with its command-line arguments. */
  make(file: string, name: string): Promise<string>
  remove(): void
}

export function createPrograms(): Programs {
  const folder = mkdtempSync(join(tmpdir(), 'toolwire-mcp-'))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'), 'junction')
  return {
    async make(file, name) {
      const outfile = join(folder, `${name}.mjs`)
      await build({
        stdin: {
          contents: `import { ${name} as main } from './${file}'; await main(...process.argv.slice(2))`,
          resolveDir: here,
        },
        bundle: true,
        platform: 'node',
        format: 'esm',
        external: ['@modelcontextprotocol/*'],
        alias: { '@toolwire/core': join(root, 'packages/core/src/index.ts') },
        outfile,
        logLevel: 'error',
      })
      return outfile
    },
    remove: () => rmSync(folder, { recursive: true }),
  }
}

/** Resolves when the process has ended. There is no time limit but that of the test. */
export async function gone(pid: number): Promise<void> {
  while (isRunning(pid)) await sleep(5)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !isRemains(pid)
  } catch {
    return false
  }
}

/** On Linux, a process that has ended stays until its parent reads its status. */
function isRemains(pid: number): boolean {
  const stat = `/proc/${pid}/stat`
  return existsSync(stat) && / Z /.test(readFileSync(stat, 'utf8'))
}
