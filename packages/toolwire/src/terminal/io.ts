/** Everything outside the process that the command uses, so that a test can run the command in memory. */

export interface Output {
  write(text: string): void
  readonly isTTY: boolean
  /** As the terminal reports it; 0 and `undefined` mean that it is unknown. */
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
  /** The names in a folder; `undefined` when it is none. */
  list(path: string): Promise<readonly string[] | undefined>
  /** Calls back when one of these files or folders may have changed, until the returned function is called. */
  watch(paths: readonly string[], callback: () => void): () => void
  /** The exports of a module. */
  load(url: string): Promise<unknown>
}

const usualWidth = 100

/** How many columns a text may take. Output to a file or a pipe is not wrapped. */
export function widthOf({ isTTY, columns }: Output): number {
  return isTTY ? columns || usualWidth : Number.POSITIVE_INFINITY
}
