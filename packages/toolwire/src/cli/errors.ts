/** The two ways in which a run can end before its work: misused, or given something that cannot be read. */

export class UsageError extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.name = 'UsageError'
    this.hint = hint
  }
}

/** `detail` is text for the terminal, already escaped, such as a code frame. */
export class InputError extends Error {
  readonly detail: string | undefined

  constructor(message: string, detail?: string) {
    super(message)
    this.name = 'InputError'
    this.detail = detail
  }
}
