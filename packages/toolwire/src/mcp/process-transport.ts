/**
 * Communicates with a program through its standard input and output. Unlike the SDK's transport it ends all processes
 * that the program started, reads long lines in linear time, and reports how the program ended.
 */
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import process from 'node:process'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { createLineReader } from './line-reader.ts'
import type { McpSdk } from './load-client.ts'
import type { McpProgram } from './settings.ts'

export interface ProcessTransportOptions {
  readonly sdk: Pick<McpSdk, 'deserializeMessage' | 'serializeMessage'>
  /** The environment a program gets before its own `env`. */
  readonly baseEnv: Readonly<Record<string, string>>
  readonly graceMs: number
  readonly onLog: (line: string) => void
  /** The longest message. Default: 64 MiB. */
  readonly maxMessageBytes?: number
}

const maxLogBytes = 16 * 1024
/** How many lines of its output are kept for messages. */
const maxLastLines = 5

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

  /** What it wrote last beside the protocol. Empty, or begins with a space. */
  get lastOutput(): string {
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
    killAtExit(child)
    this.#listen(child)
  }

  #listen(child: ChildProcessWithoutNullStreams): void {
    child.on('error', error => this.onerror?.(error))
    child.once('exit', (code, signal) => {
      this.#ending = signal === null ? ` It ended with exit code ${code}.` : ` It was ended by ${signal}.`
    })
    child.once('close', () => this.onclose?.())
    // A broken pipe is reported by the end of the program.
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
      // Many programs print a greeting to standard output.
      if (error instanceof SyntaxError) this.#log(line)
      else this.onerror?.(error instanceof Error ? error : new Error(String(error)))
      return
    }
    this.onmessage?.(message)
  }

  #log(line: string): void {
    if (line.trim() === '') return
    this.#lastLines.push(printable(line).slice(0, 300))
    if (this.#lastLines.length > maxLastLines) this.#lastLines.shift()
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

  /** Closes its input, then sends SIGTERM, then SIGKILL, to the program and all that it started. */
  async close(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) return
    child.stdin.end()
    if (await this.#endsWithin(this.#options.graceMs)) return
    killGroup(child, 'SIGTERM')
    if (await this.#endsWithin(this.#options.graceMs)) return
    killGroup(child, 'SIGKILL')
    // A process that left the group may still hold these.
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

const running = new Set<ChildProcess>()

function killAll(): void {
  for (const child of running) killGroup(child, 'SIGKILL')
}

/**
 * Kills the program when this process ends, also after an uncaught error. Each program leads a process group: so
 * everything it starts can be killed with it, and Ctrl-C in a terminal reaches only this process, which closes its
 * programs in order.
 */
function killAtExit(child: ChildProcess): void {
  if (running.size === 0) process.on('exit', killAll)
  running.add(child)
  child.once('exit', () => {
    running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
    // Processes that it started would keep its pipes open.
    killGroup(child, 'SIGKILL')
  })
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, signal)
  } catch {
    // All processes of the group have ended already.
  }
}

/** The output of a program appears in logs and terminals. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is what it is for
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g, ' ')
}
