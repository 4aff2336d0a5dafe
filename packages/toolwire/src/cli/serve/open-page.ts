/** Opens a page in the browser of the user who sits before this machine. */
import { spawn } from 'node:child_process'
import type { Io } from '../../terminal/io.ts'

/** Over SSH the browser would open on the other machine, and without a display nowhere. */
export function hasBrowser(env: Io['env'], { platform }: { readonly platform: string }): boolean {
  const isRemote = ['SSH_CONNECTION', 'SSH_CLIENT', 'SSH_TTY'].some(name => (env[name] ?? '') !== '')
  if (isRemote) return false
  if (platform === 'darwin' || platform === 'win32') return true
  return ['DISPLAY', 'WAYLAND_DISPLAY'].some(name => (env[name] ?? '') !== '')
}

export function openPage(url: string): void {
  const [program, ...args] = openerOf(process.platform, url)
  const child = spawn(program, args, { detached: true, stdio: 'ignore', windowsHide: true })
  // The address was printed, so that nothing is lost where there is no such program.
  child.on('error', () => {})
  child.unref()
}

function openerOf(platform: string, url: string): [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open', url]
  // To "start" the first text in quotation marks is a title.
  if (platform === 'win32') return ['cmd', '/c', 'start', '', url]
  return ['xdg-open', url]
}
