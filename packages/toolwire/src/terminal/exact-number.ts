/**
 * Whether a number in a JSON text is still the same number after it was read and written again. `1.0` and
 * `1e2` are, though they look different; `9223372036854775807` is not.
 */
export function isExact(literal: string): boolean {
  const value = Number(literal)
  return Number.isFinite(value) && canonical(literal) === canonical(String(value))
}

/** Digits without zeros at either end, and the power of ten they are multiplied by. */
function canonical(literal: string): string {
  const unsigned = literal.startsWith('-') ? literal.slice(1) : literal
  const [mantissa = '', power = '0'] = unsigned.split(/e/i)
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  let start = 0
  let end = digits.length
  while (start < end && digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  if (start === end) return '0'
  const exponent = Number(power) - fraction.length + (digits.length - end)
  return `${literal.startsWith('-') ? '-' : ''}${digits.slice(start, end)}e${exponent}`
}
