/** A check that never comes back must not keep the others from being told. */
import type { Check } from './check.ts'
import { problem } from './check.ts'
import type { DoctorEnvironment } from './environment.ts'

/** Longer than anything that is waited for inside of a check. */
const patienceMs = 40_000

export function withinTime(
  name: string,
  work: Promise<Check[]>,
  { after }: Pick<DoctorEnvironment, 'after'>,
): Promise<Check[]> {
  return new Promise((resolve, reject) => {
    const callOff = after(patienceMs, () => {
      const remedy = 'What it waits for hangs: look at the disk, the network or the program behind it.'
      resolve([problem(name, `No answer within ${patienceMs / 1000} s.`, remedy)])
    })
    work.then(resolve, reject).finally(callOff)
  })
}
