/** Numbers, times and names as the page writes them. */

const whole = new Intl.NumberFormat('en')

export function count(value: number | undefined): string {
  return value === undefined ? '' : whole.format(value)
}

/** `987`, `1.2k`, `34k`, `1.2M`. */
export function short(value: number | undefined): string {
  if (value === undefined) return ''
  if (value < 1000) return String(value)
  if (value < 10_000) return `${(value / 1000).toFixed(1)}k`
  if (value < 999_500) return `${Math.round(value / 1000)}k`
  return `${(value / 1_000_000).toFixed(1)}M`
}

/** `0.4 ms`, `12 ms`, `1.23 s`, `2 m 05 s`. */
export function duration(ms: number | undefined): string {
  if (ms === undefined) return ''
  if (ms === 0) return '0 ms'
  if (ms < 9.95) return `${ms.toFixed(1)} ms`
  if (ms < 999.5) return `${Math.round(ms)} ms`
  if (ms < 59_995) return `${(ms / 1000).toFixed(2)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} m ${String(seconds % 60).padStart(2, '0')} s`
}

export function bytes(size: number | undefined): string {
  if (size === undefined) return ''
  if (size < 1024) return `${size} B`
  if (size < 1024 * 1024) return `${(size / 1024).toFixed(1)} kB`
  return `${(size / 1024 / 1024).toFixed(1)} MB`
}

/** `$1.20`, `$0.0026`, `$0.000042`. */
export function dollars(value: number | undefined): string {
  if (value === undefined) return ''
  if (value >= 0.01 || value <= 0) return `$${value.toFixed(2)}`
  // Two digits that say something, for the parts of a prompt that cost next to nothing.
  return value < 0.000001 ? '< $0.000001' : `$${value.toFixed(1 - Math.floor(Math.log10(value)))}`
}

export function percent(part: number, all: number): string {
  if (all === 0) return '0 %'
  const share = (100 * part) / all
  return share > 0 && share < 1 ? '< 1 %' : `${Math.round(share)} %`
}

/** `14:03:22`. */
export function clockTime(iso: string): string {
  const date = new Date(iso)
  return Number.isNaN(date.getTime()) ? '' : date.toTimeString().slice(0, 8)
}

export function plural(number: number, word: string): string {
  return `${whole.format(number)} ${word}${number === 1 ? '' : word.endsWith('s') ? 'es' : 's'}`
}

export function pathText(path: readonly (string | number)[]): string {
  return path
    .map((step, i) =>
      typeof step === 'number'
        ? `[${step}]`
        : /^[A-Za-z_$][\w$]*$/.test(step)
          ? `${i === 0 ? '' : '.'}${step}`
          : `[${JSON.stringify(step)}]`,
    )
    .join('')
}

/**
 * Characters that change what stands around them, or that nobody sees, are written as what they are: a model may write
 * them to hide something.
 */
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are made visible
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu

export function visible(text: string): string {
  return text.replace(
    hidden,
    char => `‹U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`,
  )
}
