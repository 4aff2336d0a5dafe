/** The traces of a running gateway: the list, and one of them by its id. */
import type { TraceSummary } from '../../telemetry/traces/trace-document.ts'
import { InputError } from '../../terminal/errors.ts'
import { printable } from '../../terminal/printable.ts'
import type { GatewayClient } from '../reach/gateway-client.ts'
import { stranger } from '../reach/gateway-client.ts'
import { mostTraces, readTraceList } from './read-trace.ts'

const shownIds = 5

/** The exchange as JSON, by its id or by the beginning of it. The list is requested only when no id matches exactly. */
export async function findTrace(client: GatewayClient, id: string, shownUrl: string): Promise<unknown> {
  const pathOf = (whole: string): string => `/toolwire/traces/${encodeURIComponent(whole)}`
  const found = await client.find(pathOf(id))
  if (found !== undefined) return found
  const { list } = await getList(client, mostTraces, shownUrl)
  const fitting = list.filter(summary => summary.id.startsWith(id)).map(summary => summary.id)
  const [only, ...others] = fitting
  if (only !== undefined && others.length === 0) return client.get(pathOf(only))
  const shown = printable(id)
  if (only === undefined) {
    throw new InputError(shownUrl, `there is no exchange "${shown}", or it was dropped for newer ones.`, {
      detail: '"toolwire trace" lists what there is.\n',
    })
  }
  // As long as in the list, or a little longer than what was typed.
  const length = Math.max(12, id.length + 6)
  const shorts = fitting.slice(0, shownIds).map(whole => printable(whole.slice(0, length)))
  const more = fitting.length > shownIds ? ', …' : ''
  throw new InputError(shownUrl, `"${shown}" fits ${fitting.length} exchanges.`, {
    detail: `Write more of it: ${shorts.join(', ')}${more}\n`,
  })
}

export async function getList(
  client: GatewayClient,
  limit: number,
  shownUrl: string,
): Promise<{ value: unknown; list: TraceSummary[] }> {
  const value = await client.get(`/toolwire/traces?limit=${limit}`)
  const list = readTraceList(value)
  if (list === undefined) throw stranger(shownUrl)
  return { value, list }
}
