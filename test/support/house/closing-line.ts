/** Ends every run with one plain line that any tool can read, whatever projects ran: `N passed, N failed`. */
import type { Reporter, TestModule } from 'vitest/node'

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    let passed = 0
    let failed = errors.length
    let skipped = 0
    for (const module of modules) {
      if (module.state() === 'failed') failed += module.errors().length
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state === 'passed') passed++
        else if (state === 'failed') failed++
        else skipped++
      }
    }
    const left = skipped === 0 ? '' : `${skipped} skipped\n`
    process.stdout.write(`\n${left}${passed} passed, ${failed} failed\n`)
  }
}
