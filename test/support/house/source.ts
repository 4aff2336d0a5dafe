/** The project's own source files, for the tests in `test/house`. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const root: string = fileURLToPath(new URL('../../../', import.meta.url))

export interface SourceFile {
  /** Relative to the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

export function filesUnder(directory: string, fits: (path: string) => boolean): SourceFile[] {
  return readdirSync(`${root}${directory}`, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => `${entry.parentPath}/${entry.name}`.slice(root.length).replaceAll('\\', '/'))
    .filter(path => !path.includes('node_modules/') && !path.includes('/dist/') && fits(path))
    .sort()
    .map(path => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }))
}

const isSource = (path: string): boolean => /(?<!\.test|\.test-helper)\.ts$/.test(path)

export const coreSource: readonly SourceFile[] = filesUnder('packages/core/src', isSource)
export const appSource: readonly SourceFile[] = filesUnder('packages/toolwire/src', isSource)
export const allSource: readonly SourceFile[] = [...coreSource, ...appSource]
