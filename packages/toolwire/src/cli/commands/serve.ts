/** `toolwire serve`: the gateway. */

import type { Io } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'
import { processEnvironment } from '../serve/environment.ts'
import { serve } from '../serve/serve.ts'

export function run(args: Arguments, io: Io): Promise<number> {
  return serve(args, io, processEnvironment)
}
