/** Medians, spread and growth. Every figure of the report comes through here. */

/** @param {readonly number[]} values @param {number} share between 0 and 1 */
export function quantile(values, share) {
  if (values.length === 0) return Number.NaN
  const sorted = Float64Array.from(values).sort()
  const place = (sorted.length - 1) * share
  const low = Math.floor(place)
  const high = Math.ceil(place)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

/** @param {readonly number[]} values */
export const median = values => quantile(values, 0.5)

/**
 * The median with the middle half around it.
 * @param {readonly number[]} values
 * @returns {{ median: number, low: number, high: number }}
 */
export function spread(values) {
  return { median: median(values), low: quantile(values, 0.25), high: quantile(values, 0.75) }
}

/**
 * The exponent of `cost = a · size^exponent`, by least squares over the logarithms.
 * @param {readonly { size: number, cost: number }[]} points
 */
export function growthExponent(points) {
  const xs = points.map(({ size }) => Math.log(size))
  const ys = points.map(({ cost }) => Math.log(cost))
  const meanX = xs.reduce((a, b) => a + b, 0) / xs.length
  const meanY = ys.reduce((a, b) => a + b, 0) / ys.length
  let over = 0
  let under = 0
  for (const [i, x] of xs.entries()) {
    over += (x - meanX) * (ys[i] - meanY)
    under += (x - meanX) ** 2
  }
  return over / under
}
