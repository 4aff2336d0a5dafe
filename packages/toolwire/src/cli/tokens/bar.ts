/** Eighths of a column, from one to seven. */
const eighths = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'] as const

/** A bar of `share` of `width` columns, padded to all of them. Something that is more than nothing is seen. */
export function barOf(share: number, width: number, unicode: boolean): string {
  if (!(share > 0)) return ' '.repeat(width)
  if (!unicode) return '#'.repeat(Math.max(1, Math.round(share * width))).padEnd(width)
  const parts = Math.max(1, Math.round(Math.min(1, share) * width * 8))
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[(parts % 8) - 1] ?? ''}`.padEnd(width)
}
