/** How large a folder is. */
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** @returns {number} bytes under a folder, links not followed */
export function folderBytes(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter(entry => entry.isFile())
    .reduce((sum, { parentPath, path, name }) => sum + lstatSync(join(parentPath ?? path, name)).size, 0)
}
