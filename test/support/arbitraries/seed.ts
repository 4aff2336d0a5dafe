/**
 * Property tests draw the same values in every run, so that only a change of the code can make one fail.
 * `FUZZ_SEED=random npm test` explores; fast-check prints the seed of every failure.
 */
import fc from 'fast-check'

const { FUZZ_SEED = '20261115', FUZZ_RUNS = '200' } = process.env

fc.configureGlobal({
  numRuns: Number(FUZZ_RUNS),
  ...(FUZZ_SEED === 'random' ? {} : { seed: Number(FUZZ_SEED) }),
})
