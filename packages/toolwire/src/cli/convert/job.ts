/** One conversion as the command line asks for it. */
import type { ExchangeOptions, ToolOptions, BuiltInWire as Wire } from '@toolwire/core'
import type { Io } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'

export interface Job {
  readonly file: string
  /** The wire of the input, when it is named. */
  readonly from: Wire | undefined
  readonly to: Wire
  readonly options: ToolOptions & Pick<ExchangeOptions, 'pairing'>
  /** The file with the client's request that an answer belongs to. */
  readonly request: string | undefined
  readonly args: Arguments
}

export type Converter = (job: Job, io: Io) => Promise<number>
