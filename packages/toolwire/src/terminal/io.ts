/** Everything the command may touch of the world, so that a test can run the whole command in its own. */

export interface Output {
  write(text: string): void
  readonly isTTY: boolean
  /** As the terminal reports it; 0 and nothing both mean that it does not know. */
  readonly columns?: number
}

export interface Io {
  /** The working directory. */
  readonly cwd: string
  readonly stdout: Output
  readonly stderr: Output
  readonly stdinIsTTY: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** The bytes of a file, or of stdin when it is called `-`, as they come. */
  read(file: string): AsyncIterable<Uint8Array>
  writeFile(path: string, text: string): Promise<void>
  /** The exports of a module. */
  load(url: string): Promise<unknown>
}

const usualWidth = 100

/** How many columns a text may take. What goes to a file or a pipe is not wrapped at all. */
export function widthOf({ isTTY, columns }: Output): number {
  return isTTY ? columns || usualWidth : Number.POSITIVE_INFINITY
}
