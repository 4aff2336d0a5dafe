/** What the event loop converts where no worker can: beside workers, only what is done soon. */
import { countJsonNodes } from '@toolwire/core/json'
import { GatewayError } from '../errors.ts'
import type { Limits } from '../settings.ts'

/** For JSON that is to be parsed. */
export interface JsonLimits {
  readonly depth: number
  readonly nodes: number
  /** The setting that has the number of nodes. */
  readonly nodesSetting?: string
}

export interface LoopLimits extends JsonLimits {
  readonly bytes: number
}

/** As much of a gateway as matters here. */
interface Converting {
  readonly workers: object | undefined
  readonly limits: Limits
}

/** Without workers there is nobody else to do it. */
export function loopLimits({ workers, limits }: Converting): LoopLimits {
  const { depth, nodes, loopNodes, loopBytes } = limits
  return workers === undefined
    ? { depth, nodes, bytes: Number.POSITIVE_INFINITY }
    : { depth, nodes: Math.min(nodes, loopNodes), nodesSetting: 'loopNodes', bytes: loopBytes }
}

/** Throws for a body that would hold the event loop too long. Its values are counted when it is parsed. */
export function refuseForLoop(bytes: number, { bytes: most }: LoopLimits): void {
  if (bytes <= most) return
  throw new GatewayError(
    'too_large',
    `No worker thread can convert this request, and for the event loop its ${bytes} bytes are too many. Send less, or raise "limits.loopBytes" (${most}).`,
    { code: 'body_too_large' },
  )
}

/** Whether texts of JSON have more characters or values than these. */
export function exceeds(texts: Iterable<string>, bytes: number, nodes: number): boolean {
  let length = 0
  let counted = 0
  for (const text of texts) {
    length += text.length
    if (length > bytes) return true
    counted += countJsonNodes(text)
    if (counted > nodes) return true
  }
  return false
}
