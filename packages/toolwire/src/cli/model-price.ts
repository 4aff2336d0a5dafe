/** The price of a model where it is not known who serves it: the user's own, or that of the host whose model it is. */
import { hosts, type Price, priceOf } from '@toolwire/core/presets'

export function modelPrice(model: string, own: readonly Price[]): Price | undefined {
  return hosts.map(({ name }) => priceOf(model, name, own)).find(price => price !== undefined)
}
