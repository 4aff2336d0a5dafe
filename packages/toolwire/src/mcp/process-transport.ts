/**
 * Speaks with a program through its standard input and output. Unlike the SDK's transport it ends all that the
 * program started, reads long lines in linear time, and can say how the program ended.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { killGroup, watchOver } from './child-processes.ts'
import { createLineReader } from './line-reader.ts'
import type { McpSdk } from './load-client.ts'
import type { McpProgram } from './settings.ts'

export interface ProcessTransportOptions {
  readonly sdk: Pick<McpSdk, 'deserializeMessage' | 'serializeMessage'>
  /** The environment a program gets before its own `env`. */
  readonly baseEnv: Readonly<Record<string, string>>
  readonly graceMs: number
  readonly onLog: (line: string) => void
  /** How long a message may be. 64 MiB unless stated. */
  readonly maxMessageBytes?: number
}

const maxLogBytes = 16 * 1024
const keptLines = 5

export class ProcessTransport implements Transport {
  onclose?: Transport['onclose']
  onerror?: Transport['onerror']
  onmessage?: Transport['onmessage']
  readonly #program: McpProgram
  readonly #options: ProcessTransportOptions
  readonly #lastLines: string[] = []
  #child: ChildProcessWithoutNullStreams | undefined
  #ended: Promise<void> = Promise.resolve()
  #ending = ''
  #turn: Promise<void> = Promise.resolve()

  constructor(program: McpProgram, options: ProcessTransportOptions) {
    this.#program = program
    this.#options = options
  }

  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** How the program ended. Empty, or begins with a space. */
  get ending(): string {
    return this.#ending
  }

  /** What it wrote last, beside the protocol. Empty, or begins with a space. */
  get lastWords(): string {
    return this.#lastLines.length === 0 ? '' : ` Its last words: ${this.#lastLines.join(' | ')}`
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#program
    const child = spawn(command, args, {
      env: { ...this.#options.baseEnv, ...env },
      stdio: 'pipe',
      detached: true,
      ...(cwd !== undefined && { cwd }),
    })
    this.#child = child
    this.#ended = new Promise(resolve => child.once('close', () => resolve()))
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    watchOver(child)
    this.#listen(child)
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    child.on('error', error => this.onerror?.(error))
    child.once('exit', (code, signal) => {
      this.#ending = signal === null ? ` It ended with exit code ${code}.` : ` It was ended by ${signal}.`
    })
    child.once('close', () => this.onclose?.())
    // A pipe that breaks is told by the program's end.
    child.stdin.on('error', () => {})
    const { maxMessageBytes = 64 * 1024 * 1024 } = this.#options
    const onTooLong = (): void => {
      this.onerror?.(new Error(`The program wrote a message of more than ${maxMessageBytes} bytes.`))
      void this.close()
    }
    child.stdout.on(
      'data',
      createLineReader({
        maxBytes: maxMessageBytes,
        onTooLong,
        // The SDK hands notifications on a moment later, so a call's end right behind its progress would overtake it.
        onLine: line => {
          this.#turn = this.#turn.then(() => this.#read(line)).catch(error => this.onerror?.(error))
        },
      }),
    )
    child.stderr.on(
      'data',
      createLineReader({ maxBytes: maxLogBytes, onTooLong: () => {}, onLine: line => this.#log(line) }),
    )
  }

  #read(line: string): void {
    let message: JSONRPCMessage
    try {
      message = this.#options.sdk.deserializeMessage(line)
    } catch (error) {
      // Many programs print a greeting where only the protocol should be.
      if (error instanceof SyntaxError) this.#log(line)
      else this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return
    }
    this.onmessage?.(message)
  }

  #log(line: string): void {
    if (line.trim() === '') return
    this.#lastLines.push(printable(line).slice(0, 300))
    if (this.#lastLines.length > keptLines) this.#lastLines.shift()
    this.#options.onLog(line)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (stdin?.writable !== true) throw new Error('The program has ended.')
    const text = this.#options.sdk.serializeMessage(message)
    await new Promise<void>((resolve, reject) => {
      stdin.write(text, error => (error ? reject(error) : resolve()))
    })
  }

  /** Asks first, by closing its input; then tells it; then ends it and all it started. */
  async close(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    child.stdin.end()
    if (await this.#endsWithin(this.#options.graceMs)) return
    killGroup(child, 'SIGTERM')
    if (await this.#endsWithin(this.#options.graceMs)) return
    killGroup(child, 'SIGKILL')
    // A helper that left the group may still hold these.
    child.stdout.destroy()
    child.stderr.destroy()
    await this.#ended
  }

  #endsWithin(milliseconds: number): Promise<boolean> {
    return new Promise(resolve => {
      const timer = setTimeout(() => resolve(false), milliseconds)
      void this.#ended.then(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }
}

/** A server's words end up in logs and terminals. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what it is for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, ' ')
}
