/** Bundles and runs `scale.ts`; `npm run scale` builds the gateway first. */
import { runProgram } from '../support/house/run-program.mjs'

process.exitCode = await runProgram('test/scale/scale.ts', process.argv.slice(2))
