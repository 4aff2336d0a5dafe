/**
 * Programs we started, so that none outlives us. Each leads a process group of its own: whatever it starts can be
 * ended with it, and Ctrl-C in a terminal reaches us alone, who then end it when its calls are done.
 */
import type { ChildProcess } from 'node:child_process'
import process from 'node:process'

const running = new Set<ChildProcess>()

function killAll(): void {
  for (const child of running) killGroup(child, 'SIGKILL')
}

/** Ends with our process, also when that ends by an error nobody caught. */
export function watchOver(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', killAll)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
    // Its helpers have nobody left to work for, and would hold its pipes open.
    killGroup(child, 'SIGKILL')
  })
}

export function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // All of the group have ended already.
  }
}
