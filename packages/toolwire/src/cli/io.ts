/** Everything the command may touch of the world, so that a test can run the whole command in its own. */

export interface Output {
  write(text: string): void
  readonly isTTY: boolean
  readonly columns?: number
}

export interface Io {
  readonly stdout: Output
  readonly stderr: Output
  readonly stdinIsTTY: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  readStdin(): Promise<string>
  readFile(path: string): Promise<string>
  writeFile(path: string, text: string): Promise<void>
}
