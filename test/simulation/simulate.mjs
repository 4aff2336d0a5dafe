/** Bundles a program of the tests from the sources as they are, and runs it: `node simulate.mjs …`. */
import { runProgram } from '../support/house/run-program.mjs'

process.exitCode = await runProgram('test/simulation/simulate.ts', process.argv.slice(2))
