/** The goals, each a ratio within one run, and whether the run has met them. */

/**
 * @typedef {{ goal: string, wanted: string, found: number | undefined, text: string, met: boolean | undefined, worst: string }} Verdict
 */

const isSame = ({ from, to }) => from === to
const label = ({ from, to }) => `${from} → ${to}`

/**
 * The row that is furthest from the goal decides.
 * @returns {Verdict}
 */
function verdict(goal, wanted, rows, { value, atLeast, atMost, unit = '', name = label }) {
  const found = rows.map(row => ({ row, is: value(row) })).filter(({ is }) => Number.isFinite(is))
  if (found.length === 0) return { goal, wanted, found: undefined, text: '', met: undefined, worst: '' }
  found.sort((a, b) => (atLeast === undefined ? b.is - a.is : a.is - b.is))
  const [worst] = found
  const best = found.at(-1)
  const met = atLeast === undefined ? worst.is <= atMost : worst.is >= atLeast
  const show = number => `${number.toFixed(2)}${unit}`
  const text = found.length === 1 ? show(worst.is) : `${show(worst.is)} (best ${show(best.is)})`
  return { goal, wanted, found: worst.is, text, met, worst: name(worst.row) }
}

function gatewayGoals({ rows, memory }) {
  const own = rows.filter(({ subject, size }) => subject === 'toolwire' && size === 'small')
  const loaded = own.filter(({ connections }) => connections >= 16)
  const json = loaded.filter(({ scene }) => scene === 'json')
  const streams = loaded.filter(({ scene }) => scene !== 'json')
  const single = own.filter(({ connections, scene }) => connections === 1 && scene === 'json')
  const rate = {
    value: row => row.rateRatio.median,
    name: row => `${label(row)}, ${row.scene}, ${row.connections} at a time`,
  }
  const pipe = memory.find(({ subject }) => subject === 'pipe')
  return [
    verdict('same wire, whole answers: requests per second over the pipe’s', '≥ 0.9', json.filter(isSame), {
      ...rate,
      atLeast: 0.9,
    }),
    verdict('same wire, streams: events per second over the pipe’s', '≥ 0.9', streams.filter(isSame), {
      ...rate,
      atLeast: 0.9,
    }),
    verdict(
      'across wires, whole answers: requests per second over the pipe’s',
      '≥ 0.75',
      json.filter(row => !isSame(row)),
      { ...rate, atLeast: 0.75 },
    ),
    verdict(
      'across wires, streams: events per second over the pipe’s',
      '≥ 0.6',
      streams.filter(row => !isSame(row)),
      { ...rate, atLeast: 0.6 },
    ),
    verdict('added p50, one request at a time', '≤ 0.3 ms', single, {
      value: row => row.addedP50.median,
      atMost: 0.3,
      unit: ' ms',
    }),
    verdict(
      'peak memory over the pipe’s',
      '≤ 1.3',
      memory.filter(({ subject }) => subject === 'toolwire'),
      {
        value: row => row.peakMb / pipe.peakMb,
        atMost: 1.3,
      },
    ),
  ]
}

function libraryGoals({ cases, growth }) {
  const of = (...kinds) => cases.filter(({ kind, failed }) => kinds.includes(kind) && failed === undefined)
  const cost = { value: row => row.ratio.median, name: row => `${row.kind} ${label(row)}, ${row.size}` }
  const failed = [...cases, ...growth].filter(row => row.failed !== undefined)
  return [
    verdict('library, definitions: cost over the floor’s', '≤ 2', of('definitions'), { ...cost, atMost: 2 }),
    verdict('library, requests: cost over the floor’s', '≤ 2', of('requests'), { ...cost, atMost: 2 }),
    verdict('library, streams: cost over the floor’s', '≤ 1.5', of('streams'), { ...cost, atMost: 1.5 }),
    verdict(
      'library, growth exponents',
      '≤ 1.05',
      growth.filter(row => row.failed === undefined),
      {
        value: row => row.exponent,
        atMost: 1.05,
        name: row => `${row.kind} ${label(row)}`,
      },
    ),
    {
      goal: 'library, cases that broke or came out wrong',
      wanted: '0',
      ...broken([...failed, ...cases.filter(row => row.right === false)]),
    },
  ]
}

function broken(rows) {
  const [first] = rows
  return {
    found: rows.length,
    text: String(rows.length),
    met: rows.length === 0,
    worst: first === undefined ? '' : `${first.kind} ${label(first)}: ${first.failed ?? 'another answer'}`,
  }
}

/** Only peers that got every judged case of the pair right, and no answer wrong under load, are raced. */
export function fastestPeers({ rows }) {
  const isRight = row => row.wrong === 0 && row.judged.right === row.judged.total
  return rows
    .filter(({ peer }) => peer === 'toolwire serve')
    .flatMap(own => {
      const rivals = rows.filter(
        row => row.peer !== own.peer && row.scene === own.scene && label(row) === label(own) && isRight(row),
      )
      if (rivals.length === 0) return []
      const [best] = rivals.toSorted((a, b) => b.perSecond.median - a.perSecond.median)
      return [{ ...own, rival: best.peer, times: own.perSecond.median / best.perSecond.median }]
    })
}

function peerGoals(peers) {
  const name = row => `${label(row)}, ${row.scene}, against ${row.rival}`
  const raced = fastestPeers(peers)
  const given = { value: row => row.times, atLeast: 5, name }
  return [
    verdict(
      'same wire: requests per second over the fastest right peer’s',
      '≥ 5',
      raced.filter(isSame),
      given,
    ),
    verdict(
      'across wires: requests per second over the fastest right peer’s',
      '≥ 5',
      raced.filter(row => !isSame(row)),
      given,
    ),
  ]
}

function startupGoals({ ready }) {
  return [
    verdict('ready for the first request', '≤ 0.6 s', [ready], {
      value: ({ median }) => median / 1000,
      atMost: 0.6,
      unit: ' s',
      name: () => 'toolwire serve',
    }),
  ]
}

function loopGoals(rows) {
  return [
    verdict('one request holds the event loop', '≤ 50 ms', rows, {
      value: ({ cpuMs }) => cpuMs,
      atMost: 50,
      unit: ' ms',
      name: ({ input }) => input,
    }),
  ]
}

function fairGoals(rows) {
  const [usual, , live, ready] = rows
  return [
    verdict('p50 beside a key that floods, over its quiet value', '≤ 2', [usual], {
      value: ({ ratio }) => ratio,
      atMost: 2,
      name: ({ what }) => what,
    }),
    verdict('/live and /ready beside a key that floods', '≤ 100 ms', [live, ready], {
      value: ({ flooded }) => flooded.most,
      atMost: 100,
      unit: ' ms',
      name: ({ what }) => what,
    }),
  ]
}

function watchingGoals(rows) {
  return [
    verdict('CPU with log, metrics and traces over the unwatched gateway’s', '≤ 1.1', rows, {
      value: ({ ratio }) => ratio.median,
      atMost: 1.1,
      name: row => `${label(row)}, ${row.scene}`,
    }),
  ]
}

function workerGoals({ costs, leastShare, rows }) {
  const name = ({ workers }) => `${workers} ${workers === 1 ? 'process' : 'worker processes'}`
  // With many connections load, upstream and two gateways compete for the cores, which the second verdict takes out.
  const few = costs.slice(0, 1)
  return [
    verdict('CPU per request with two worker processes over one', '≤ 1.05', few, {
      value: ({ overOne }) => overOne.median,
      atMost: 1.05,
      name: ({ connections }) => `${connections} connections`,
    }),
    verdict('CPU per request with two worker processes over two that stand alone', '≤ 1.05', costs, {
      value: ({ overAlone }) => overAlone.median,
      atMost: 1.05,
      name: ({ connections }) => `${connections} connections`,
    }),
    verdict('share of the requests of the worker that serves fewer', '≥ 0.4', [leastShare], {
      value: ({ median }) => median,
      atLeast: 0.4,
      name: () => 'two worker processes',
    }),
    verdict('256 connections: p99 over p50, from each one’s first answer', '≤ 4', rows, {
      value: ({ tail }) => tail,
      atMost: 4,
      name,
    }),
  ]
}

function storeGoals(rows) {
  return [
    verdict(
      'storage: exponent of its growth with a conversation',
      '≤ 1.05',
      rows.filter(({ exponent }) => exponent !== undefined),
      { value: ({ exponent }) => exponent, atMost: 1.05, name: ({ store }) => store },
    ),
  ]
}

function inspectorGoals({ firstPaint }) {
  return [
    verdict('the inspector paints first, on loopback', '≤ 200 ms', [firstPaint], {
      value: ({ median }) => median,
      atMost: 200,
      unit: ' ms',
      name: () => 'without a cache',
    }),
  ]
}

/** @returns {Verdict[]} of the parts that were run */
export function judgeGoals({
  library,
  gateway,
  peers,
  startup,
  loop,
  fair,
  watching,
  workers,
  stores,
  inspector,
}) {
  return [
    ...(gateway === undefined ? [] : gatewayGoals(gateway)),
    ...(peers === undefined ? [] : peerGoals(peers)),
    ...(library === undefined ? [] : libraryGoals(library)),
    ...(startup === undefined ? [] : startupGoals(startup)),
    ...(loop === undefined ? [] : loopGoals(loop)),
    ...(fair === undefined ? [] : fairGoals(fair)),
    ...(watching === undefined ? [] : watchingGoals(watching)),
    ...(workers === undefined ? [] : workerGoals(workers)),
    ...(stores === undefined ? [] : storeGoals(stores)),
    ...(inspector === undefined ? [] : inspectorGoals(inspector)),
  ]
}
