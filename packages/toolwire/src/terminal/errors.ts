/** The two ways in which a run fails early: wrong usage, or input that cannot be read. */
import type { Position } from './code-frame.ts'

export class UsageError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'UsageError'
    this.hint = hint
  }
}

/** All its strings are already escaped for the terminal. */
export class InputError extends Error {
  override readonly name: string = 'InputError'
  readonly file: string
  readonly reason: string
  readonly place: Position | undefined
  /** What helps to see it, such as a code frame. */
  readonly detail: string

  constructor(
    file: string,
    reason: string,
    { place, detail = '' }: { place?: Position; detail?: string } = {},
  ) {
    super(`${file}${place === undefined ? '' : `:${place.line}:${place.column}`}: ${reason}`)
    this.file = file
    this.reason = reason
    this.place = place
    this.detail = detail
  }
}

/** It may well be what is looked for, but this machine lacks what reads it, or it fails when it is loaded. */
export class UnloadedError extends InputError {
  override readonly name: string = 'UnloadedError'
}

/** What was asked over the network did not answer, or refused. */
export class ReachError extends InputError {
  override readonly name: string = 'ReachError'
}
