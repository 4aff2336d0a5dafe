/** The command `npm run simulate`: runs worlds by seed, and shows what must not happen with the seed that repeats it. */
import { parseArgs } from 'node:util'
import type { WorldReport } from './world.ts'
import { runWorld, settingsOf } from './world.ts'

const usage = `npm run simulate -- [--seeds N] [--from S]   N worlds from seed S on (200 from 1)
npm run simulate -- --seed S [--log]         one world again, with everything that happened
`

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      log: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    process.stdout.write(usage)
    return 0
  }
  const first = Number(values.seed ?? values.from)
  const count = values.seed === undefined ? Number(values.seeds) : 1
  if (!Number.isSafeInteger(first) || !(count > 0)) {
    process.stderr.write(usage)
    return 2
  }
  const total = new Map<string, number>()
  const peaks = new Map<string, number>()
  const failed: number[] = []
  const started = performance.now()
  for (let seed = first; seed < first + count; seed++) {
    const report = await runWorld(settingsOf(seed))
    for (const [what, times] of report.tally) total.set(what, (total.get(what) ?? 0) + times)
    for (const [what, most] of report.peaks) peaks.set(what, Math.max(most, peaks.get(what) ?? 0))
    if ((seed - first + 1) % 1_000 === 0) process.stderr.write(`${seed - first + 1} worlds\n`)
    if (values.log) process.stdout.write(`${report.log.join('\n')}\n`)
    if (report.violations.length === 0) continue
    failed.push(seed)
    process.stdout.write(describeViolations(report))
  }
  const seconds = (performance.now() - started) / 1000
  const happened = [...total].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, times]) => `${what}: ${times}`)
  const highest = [...peaks].map(([what, most]) => `most ${what}: ${most}`)
  process.stdout.write(
    `${count} worlds in ${seconds.toFixed(0)} s, ${failed.length} with violations ${failed.slice(0, 20)}\n${[...happened, ...highest].join(', ')}\n`,
  )
  return failed.length === 0 ? 0 : 1
}

export function describeViolations({ seed, violations }: Pick<WorldReport, 'seed' | 'violations'>): string {
  const shown = violations.slice(0, 5).map(text => `  ${text.slice(0, 1_000)}\n`)
  return `seed ${seed}: ${violations.length} violations. Again: npm run simulate -- --seed ${seed}\n${shown.join('')}`
}
