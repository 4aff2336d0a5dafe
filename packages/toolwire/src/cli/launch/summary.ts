/** What an agent's run came to: requests, tokens, cost, losses, failures. */
import type { UsageRow } from '../../platform/usage-row.ts'
import { type ExchangeFacts, type FactsObserver, isHousekeeping } from '../../telemetry/observer.ts'
import { formatDollars } from '../../telemetry/quantities.ts'
import { UsageLedger } from '../../telemetry/usage-ledger.ts'
import { printable } from '../../terminal/printable.ts'
import { plural } from '../../terminal/table.ts'

export interface Summary {
  readonly observer: FactsObserver
  /** One line or two. */
  lines(): string[]
  /** The same for `toolwire usage`. The key of the run is nobody's. */
  rows(): UsageRow[]
}

export function createSummary(): Summary {
  let requests = 0
  let failed = 0
  let lastFailure: string | undefined
  const tokens = { input: 0, output: 0, cached: 0 }
  const paid = { dollars: 0, priced: 0, unpriced: new Set<string>() }
  const losses = new Map<string, number>()
  const ledger = new UsageLedger()
  const note = (facts: ExchangeFacts): void => {
    ledger.observer.ended(facts)
    if (isHousekeeping(facts) || facts.model === undefined) return
    requests++
    tokens.input += facts.usage?.input ?? 0
    tokens.output += facts.usage?.output ?? 0
    tokens.cached += facts.usage?.cacheRead ?? 0
    if (facts.cost !== undefined) {
      paid.dollars += facts.cost
      paid.priced++
    } else if (facts.usage !== undefined) paid.unpriced.add(facts.upstreamModel ?? facts.model)
    for (const { code, omitted = 1 } of facts.losses ?? [])
      losses.set(code, (losses.get(code) ?? 0) + omitted)
    if (facts.failure === undefined || facts.abandoned === true) return
    failed++
    lastFailure = facts.failure.message
  }
  return {
    observer: { ended: note },
    rows: () => ledger.rows().map(row => ({ ...row, owner: '' })),
    lines() {
      if (requests === 0) return ['no request came.']
      const words = [
        plural(requests, 'request') + (failed === 0 ? '' : `, ${failed} failed`),
        tokensText(tokens),
        costText(paid),
        lossText(losses),
      ]
      const told = lastFailure === undefined ? [] : [`the last failure: ${printable(lastFailure)}`]
      return [words.filter(word => word !== '').join(' · '), ...told]
    },
  }
}

function tokensText({ input, output, cached }: Record<'input' | 'output' | 'cached', number>): string {
  if (input + output === 0) return ''
  const count = new Intl.NumberFormat('en')
  const ofCache = cached === 0 ? '' : ` (${count.format(cached)} cached)`
  return `${count.format(input)} tokens in${ofCache}, ${count.format(output)} out`
}

/** Nothing is guessed: without any price there is no cost, and with some it is at least so much. */
function costText(paid: {
  readonly dollars: number
  readonly priced: number
  readonly unpriced: ReadonlySet<string>
}): string {
  if (paid.priced === 0) return ''
  const without = [...paid.unpriced].map(printable).join(', ')
  const known = formatDollars(paid.dollars)
  return without === '' ? known : `at least ${known}, no price is known of ${without}`
}

function lossText(losses: ReadonlyMap<string, number>): string {
  const total = [...losses.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return 'nothing lost'
  const codes = [...losses].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${count} ${code}`)
  return `${total} lost: ${codes.join(', ')}; "toolwire explain CODE" says more`
}
