/** Reads a CPU profile: where time was spent itself, and under whom. */
import { compiledPlace } from './bundled-place.mjs'

/**
 * @param {{ nodes: any[], samples: number[], timeDeltas: number[] }} profile
 * @returns {{ totalMs: number, rows: { name: string, self: number, total: number }[] }} shares of the whole
 */
export function readProfile({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map(node => [node.id, node]))
  const parent = new Map(nodes.flatMap(node => (node.children ?? []).map(child => [child, node.id])))
  const nameOf = ({ callFrame: { functionName, url, lineNumber } }) => {
    const { path, line } = compiledPlace(url.replace(/^file:\/\//, ''), lineNumber + 1)
    const file = path.replace(/^.*\/(?=(?:packages|node_modules|bench)\/)/, '')
    return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${line}`}`
  }
  const selfOf = new Map()
  for (const [i, id] of samples.entries()) selfOf.set(id, (selfOf.get(id) ?? 0) + (timeDeltas[i] ?? 0))
  const rows = new Map()
  let whole = 0
  for (const [id, time] of selfOf) {
    const name = nameOf(byId.get(id))
    if (name === '(idle)' || name === '(program)') continue
    whole += time
    const seen = new Set()
    for (let at = id; at !== undefined; at = parent.get(at)) {
      const above = nameOf(byId.get(at))
      if (seen.has(above)) continue
      seen.add(above)
      const row = rows.get(above) ?? { name: above, self: 0, total: 0 }
      row.total += time
      if (at === id) row.self += time
      rows.set(above, row)
    }
  }
  const shares = [...rows.values()].map(({ name, self, total }) => ({
    name,
    self: self / whole,
    total: total / whole,
  }))
  return { totalMs: whole / 1000, rows: shares }
}

/** Which part of the whole a function belongs to. */
function partOf(name) {
  const own = /packages\/(core|toolwire)\/dist\/(\w+(?:\/(?:adapt|upstream))?)/.exec(name)
  if (own !== null) return `${own[1]}/${own[2]}`
  if (name.includes('undici')) return 'undici'
  if (name.includes(' node:')) return name.includes('http') ? 'node: http' : 'node: the rest'
  return name.includes(' bench/') ? 'JSON.parse and JSON.stringify of the benchmark' : name.split(' ')[0]
}

/** @param {ReturnType<typeof readProfile>} profile @param {number} count */
export function profileText({ totalMs, rows }, count = 30) {
  const parts = new Map()
  for (const { name, self } of rows) parts.set(partOf(name), (parts.get(partOf(name)) ?? 0) + self)
  const byPart = [...parts].sort((a, b) => b[1] - a[1]).slice(0, 20)
  const percent = share => `${(share * 100).toFixed(1)} %`.padStart(7)
  const line = ({ name, self, total }) => `${percent(self)} ${percent(total)}  ${name}`
  const bySelf = rows.toSorted((a, b) => b.self - a.self).slice(0, count)
  const byTotal = rows.toSorted((a, b) => b.total - a.total).slice(0, count * 2)
  return [
    `${totalMs.toFixed(0)} ms of CPU`,
    '   self  by part',
    ...byPart.map(([part, self]) => `${percent(self)}  ${part}`),
    '   self   total  by self',
    ...bySelf.map(line),
    '   self   total  by total',
    ...byTotal.map(line),
  ].join('\n')
}
