/** An upstream's JSON: counted before it is parsed. */
import { measureJson } from '@toolwire/core/json'
import { GatewayError } from '../errors.ts'
import type { Holding } from '../http/byte-budget.ts'
import { nodeBytes, textBytes } from '../http/byte-budget.ts'
import type { JsonLimits, LoopLimits } from '../workers/loop-limits.ts'

/** On the event loop, where no worker can do it. */
export function parseOnLoop(bytes: Buffer, name: string, limits: LoopLimits, memory: Holding): unknown {
  if (bytes.length > limits.bytes) {
    throw new GatewayError(
      'server',
      `Upstream "${name}" answered with ${bytes.length} bytes, which no worker thread can convert ("limits.loopBytes" is ${limits.bytes}).`,
      { code: 'upstream_too_large', status: 502 },
    )
  }
  return parseAnswer(bytes, name, limits, memory)
}

/** Counted before it is parsed: parsing and converting what is over the limits would take too long, or too much stack. */
export function parseAnswer(
  bytes: Buffer,
  name: string,
  { depth, nodes, nodesSetting = 'nodes' }: JsonLimits,
  memory?: Holding,
): unknown {
  const text = bytes.toString('utf8')
  const { excess, counted } = measureJson(text, depth, nodes)
  if (excess !== undefined) {
    throw malformed(
      excess.limit === 'depth'
        ? `Upstream "${name}" answered with JSON nested deeper than ${depth} levels ("limits.depth").`
        : `Upstream "${name}" answered with JSON of more than ${nodes} values ("limits.${nodesSetting}").`,
    )
  }
  memory?.take(textBytes(text.length) + nodeBytes(counted), 'answer')
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown reason'
    throw malformed(`Upstream "${name}" answered with what is not JSON: ${reason}`)
  }
}

function malformed(message: string): GatewayError {
  return new GatewayError('server', message, { code: 'upstream_malformed', status: 502 })
}
