/** The request an answer belongs to. From it come the names and kinds of the tools the client declared. */
import { detectWire } from '@toolwire/core'
import { InputError } from '../../terminal/errors.ts'
import type { Io } from '../../terminal/io.ts'
import { printable } from '../../terminal/printable.ts'
import { parseInput, readInput } from '../../terminal/read-input.ts'
import { type Body, isBody } from '../body-kind.ts'
import type { Job } from './job.ts'

export interface ClientRequest {
  readonly body: Body
  readonly note?: string
}

export async function readClientRequest(
  { request: file, to }: Pick<Job, 'request' | 'to'>,
  io: Io,
): Promise<ClientRequest | undefined> {
  if (file === undefined) return undefined
  const input = await readInput(file, io)
  const body = parseInput(input, io).value
  const name = printable(input.name)
  if (!isBody(body)) throw new InputError(name, 'expected a request, which is an object.')
  // Its tools are what it is read for. Those of the upstream's request would bring nothing back.
  const shown = Array.isArray(body.tools) ? detectWire(body.tools) : undefined
  if (shown === undefined || shown === to) return { body }
  return {
    body,
    note: `The tools in ${name} look written for ${shown}; they are read as ${to}, the client's wire.`,
  }
}
