/** `toolwire serve`: the gateway. */
import type { Arguments } from '../arguments.ts'
import type { Io } from '../io.ts'
import { serve } from '../serve/serve.ts'
import { processWorld } from '../serve/world.ts'

export function run(args: Arguments, io: Io): Promise<number> {
  return serve(args, io, processWorld)
}
