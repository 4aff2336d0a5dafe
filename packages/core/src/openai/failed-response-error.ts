import type { ApiError } from '../model/answer.ts'

/** The model's answer says that it failed, so that there is no message in it. The server's words are the message. */
export class FailedResponseError extends Error {
  override readonly name: string = 'FailedResponseError'
  /** The server's own code, or what kind of failure it is. */
  readonly code: string

  constructor(error: ApiError | undefined) {
    super(error?.message ?? 'The answer failed, and the server did not say why.')
    this.code = error?.code ?? error?.kind ?? 'server'
  }
}
