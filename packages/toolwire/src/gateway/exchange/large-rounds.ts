/**
 * The further requests of an exchange whose first a worker thread converted, where the gateway runs tools. The exchange on
 * the event loop knows the request without its history; what a round adds is the same with and without, so a worker
 * appends it to the request before.
 */
import { isSame } from '@toolwire/core/json'
import type { JsonObject } from '../http/json-body.ts'
import { workersFor } from '../workers/eligible.ts'
import type { RoutedRequest } from './routed-request.ts'

export class LargeRounds {
  readonly #routed: RoutedRequest
  #bytes: Uint8Array
  #before: JsonObject

  /** `bytes`: the whole request to the upstream; `before`: the same without its history. */
  constructor(routed: RoutedRequest, bytes: Uint8Array, before: JsonObject) {
    this.#routed = routed
    this.#bytes = bytes
    this.#before = before
  }

  /** The whole of the next request, which is given without its history. */
  async next(value: JsonObject): Promise<Uint8Array> {
    const { context, endpoint, destination } = this.#routed
    const { historyField = '' } = destination.upstream.wire.service.http
    const before = this.#before
    this.#before = value
    const workers = workersFor(context, endpoint.wire)
    if (workers === undefined) throw new TypeError('A worker converted the request before, and none can now.')
    const fields = new Set([...Object.keys(before), ...Object.keys(value)])
    fields.delete(historyField)
    const changed = [...fields].filter(field => !isSame(before[field], value[field]))
    const job = {
      // A copy, because the connection may still be sending the request before.
      bytes: this.#bytes,
      historyField,
      added: listOf(value[historyField]).slice(listOf(before[historyField]).length),
      changed: Object.fromEntries(changed.map(field => [field, value[field]])),
    }
    const { bytes } = await workers.with(context.signal, worker => worker.run('extend', job))
    this.#bytes = bytes
    return bytes
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
