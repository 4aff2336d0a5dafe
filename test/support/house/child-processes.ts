/** The processes that another one has started. Not every kernel lists them, but each process names its parent. */
import { readdirSync, readFileSync } from 'node:fs'

export function childrenOf(parent: number): number[] {
  const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name))
  return pids.map(Number).filter(pid => parentOf(pid) === parent)
}

/** A process may end while it is looked at. */
function parentOf(pid: number): number | undefined {
  try {
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')
    return Number(fields.split(' ')[1])
  } catch {
    return undefined
  }
}
