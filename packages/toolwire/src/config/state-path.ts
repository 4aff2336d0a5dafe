/** Where the system wants programs to keep what they remember between runs. */
import { posix, win32 } from 'node:path'

export interface Machine {
  readonly platform: string
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
}

const file = 'responses.sqlite'

export function defaultStorePath({ platform, home, env }: Machine): string {
  if (platform === 'win32') {
    return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), 'toolwire', file)
  }
  if (platform === 'darwin') return posix.join(home, 'Library', 'Application Support', 'toolwire', file)
  const { XDG_STATE_HOME: state = '' } = env
  // The specification says to ignore a relative one.
  const folder = posix.isAbsolute(state) ? state : posix.join(home, '.local', 'state')
  return posix.join(folder, 'toolwire', file)
}
