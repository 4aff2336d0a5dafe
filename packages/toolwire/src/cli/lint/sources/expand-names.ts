/** The files that are meant by names of files and folders. */
import type { Io } from '../../../terminal/io.ts'

/** In a folder, whatever may hold tools. A module is run to learn what it exports, so its name must say that it has some. */
const dataFile = /\.(?:json|jsonc|jsonl|ndjson|ya?ml)$/i
const moduleFile = /(?:^|[.\-_/])tools?\.[cm]?[jt]s$/i
const skipped = /^(?:\.|node_modules$|dist$|build$|coverage$)/
const mostFiles = 10_000

export interface NamedFile {
  readonly path: string
  /** Found in a folder: it may be about something else, and is then passed over. */
  readonly isFound: boolean
}

export async function expandNames(names: readonly string[], io: Io): Promise<NamedFile[]> {
  const files: NamedFile[] = []
  for (const name of names) {
    const inside = name === '-' ? undefined : await io.list(name)
    if (inside === undefined) files.push({ path: name, isFound: false })
    else await walk(name, inside, files, io)
  }
  return files
}

async function walk(folder: string, names: readonly string[], files: NamedFile[], io: Io): Promise<void> {
  for (const name of [...names].sort()) {
    if (skipped.test(name) || files.length >= mostFiles) continue
    const path = `${folder.replace(/\/$/, '')}/${name}`
    const inside = await io.list(path)
    if (inside !== undefined) await walk(path, inside, files, io)
    else if (dataFile.test(name) || moduleFile.test(name)) files.push({ path, isFound: true })
  }
}
