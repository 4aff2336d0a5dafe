/** What a terminal showed, as an SVG. */

const paints = {
  31: '#ff7b72',
  32: '#7ee787',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#76e3ea',
  90: '#8b949e',
}
const plain = '#e6edf3'
const dim = '#8b949e'
const lineHeight = 19
const characterWidth = 8.43
const margin = 18
const top = 46

/** Colours, erasing a line, others that leave nothing to see, and text. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal reads.
const signs = /\u001b\[[0-9;?]*[A-Za-z]|\u001b[\]>=][^\u0007\u001b]*\u0007?|\r\n|\r|\n|[^\u001b\r\n]+/g

/** @param {{ text: string }[]} pieces @param {number} columns */
export function pictureOf(pieces, columns) {
  const lines = screenOf(pieces.map(({ text }) => text).join(''), columns)
  const width = Math.ceil(columns * characterWidth + 2 * margin)
  const height = top + lines.length * lineHeight + margin
  const rows = lines.map((line, i) => {
    const y = top + (i + 1) * lineHeight - 5
    return `<text x="${margin}" y="${y}">${line}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>A terminal in which toolwire runs an agent on a local model, and serves a gateway</title>
<style>
text { font: 14px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: ${plain}; white-space: pre }
</style>
<rect width="${width}" height="${height}" rx="10" fill="#0d1117"/>
<circle cx="22" cy="20" r="6" fill="#ff5f57"/><circle cx="42" cy="20" r="6" fill="#febc2e"/><circle cx="62" cy="20" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`
}

/** The lines as they stood at last, each as marked-up text. */
function screenOf(text, columns) {
  const lines = [[]]
  let style = {}
  for (const [sign] of text.matchAll(signs)) {
    const line = lines.at(-1)
    if (sign === '\n' || sign === '\r\n') lines.push([])
    else if (sign.endsWith('K') && sign.startsWith('\u001b[2')) line.length = 0
    else if (sign.startsWith('\u001b[') && sign.endsWith('m')) style = styled(style, sign.slice(2, -1))
    else if (!sign.startsWith('\u001b') && sign !== '\r') line.push({ ...style, text: sign })
  }
  while (lines.length > 0 && lines.at(-1).length === 0) lines.pop()
  return lines.flatMap(line => wrapped(line, columns)).map(line => line.map(markedUp).join(''))
}

/** As a terminal does it: at its edge, wherever that is. */
function wrapped(line, columns) {
  const rows = [[]]
  let room = columns
  for (const { text, ...style } of line) {
    for (let rest = text; rest !== ''; ) {
      if (room === 0) {
        rows.push([])
        room = columns
      }
      const fitting = rest.slice(0, room)
      rows.at(-1).push({ ...style, text: fitting })
      room -= fitting.length
      rest = rest.slice(fitting.length)
    }
  }
  return rows
}

/** What each code changes; any other sets a colour. */
const changes = {
  0: { bold: false, dim: false, color: undefined },
  1: { bold: true },
  2: { dim: true },
  22: { bold: false, dim: false },
  39: { color: undefined },
}

function styled(style, codes) {
  const next = { ...style }
  for (const code of codes.split(';')) {
    const color = paints[code]
    Object.assign(next, changes[Number(code)] ?? (color === undefined ? {} : { color }))
  }
  return next
}

function markedUp({ text, bold, dim: isDim, color }) {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  const fill = color ?? (isDim ? dim : undefined)
  const style = [fill && `fill="${fill}"`, bold && 'font-weight="bold"'].filter(Boolean).join(' ')
  return style === '' ? escaped : `<tspan ${style}>${escaped}</tspan>`
}
