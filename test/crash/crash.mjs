/** Bundles and runs `crash.ts`; `npm run crash` builds the gateway first. */
import { runProgram } from '../support/house/run-program.mjs'

process.exitCode = await runProgram('test/crash/crash.ts', process.argv.slice(2))
