/** Durations, counts and sizes for people. */

export function formatMs(milliseconds: number): string {
  if (milliseconds < 9.95) return `${milliseconds.toFixed(1)} ms`
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  const seconds = milliseconds / 1000
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`
  const rounded = Math.round(seconds)
  return `${Math.floor(rounded / 60)}m${String(rounded % 60).padStart(2, '0')}s`
}

/** Exact up to four digits. */
export function formatCount(count: number): string {
  if (count < 10_000) return String(count)
  return count < 999_500 ? `${Math.round(count / 1000)}k` : `${(count / 1e6).toFixed(1)}M`
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  if (bytes < 1024 * 1023.95) return `${(bytes / 1024).toFixed(1)} KiB`
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** At least two digits that count, and cents where they do. */
export function formatDollars(dollars: number): string {
  if (dollars === 0) return '$0'
  if (dollars >= 0.1) return `$${dollars.toFixed(2)}`
  const digits = Math.min(6, 1 - Math.floor(Math.log10(dollars)))
  const text = dollars.toFixed(digits)
  return Number(text) === 0 ? '<$0.000001' : `$${text}`
}
