/** `toolwire doctor`: whether a gateway would run here, and what is in the way. */

import type { Io } from '../../terminal/io.ts'
import type { Arguments } from '../arguments.ts'
import { doctor } from '../doctor/doctor.ts'
import { processDoctorEnvironment } from '../doctor/environment.ts'

export function run(args: Arguments, io: Io): Promise<number> {
  return doctor(args, io, processDoctorEnvironment)
}
