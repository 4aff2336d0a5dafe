/** Node loads the packages as a few files put together; profiles are easier to read by the files these were made of. */
import { existsSync, readFileSync } from 'node:fs'

/** By bundled file: the lines at which its parts begin, and the file each was. */
const partsOf = new Map()

function readParts(path) {
  const lines = existsSync(path) ? readFileSync(path, 'utf8').split('\n') : []
  const parts = []
  for (const [line, text] of lines.entries())
    if (/^\/\/ dist\/\S+\.js$/.test(text)) parts.push({ line, file: text.slice(3) })
  return parts
}

/** `…/core/dist/node/chunk.js` and a line of it, as `…/core/dist/codecs/chat/request.js` and the line there. */
export function compiledPlace(path, line) {
  const place = /^(.*\/packages\/\w+\/)dist\/node\/[^/]+\.js$/.exec(path)
  if (place === null) return { path, line }
  if (!partsOf.has(path)) partsOf.set(path, readParts(path))
  const part = partsOf.get(path).findLast(({ line: start }) => start < line)
  return part === undefined ? { path, line } : { path: place[1] + part.file, line: line - part.line - 1 }
}
