/** The report of a run, as a page of Markdown. */
import { fastestPeers } from './goals.mjs'

const number = (value, digits = 2) => (Number.isFinite(value) ? value.toFixed(digits) : '–')
const whole = value => (Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '–')
/** The median, and the middle half of the rounds. */
const spreadText = ({ median, low, high }, digits = 2) =>
  `${number(median, digits)} (${number(low, digits)}–${number(high, digits)})`
const pairText = ({ from, to }) => `${from} → ${to}`

export function table(heads, rows) {
  const line = cells => `| ${cells.join(' | ')} |`
  const escaped = rows.map(row => line(row.map(cell => String(cell).replaceAll('|', '\\|'))))
  return [line(heads), line(heads.map(() => '---')), ...escaped, ''].join('\n')
}

export function machineText(facts) {
  const rows = [
    ['date', facts.date],
    ['commit', `${facts.commit}${facts.changed ? ', with changes that are not committed' : ''}`],
    ['versions', `toolwire ${facts.toolwire}, @toolwire/core ${facts.core}, undici ${facts.undici}`],
    ['runtime', `Node ${facts.node}, V8 ${facts.v8}`],
    ['machine', `${facts.processor}, ${facts.memoryGb} GB, ${facts.system}`],
    ['cores', facts.pinned ? 'the measured process on core 0, load and upstream on core 1' : 'not pinned'],
    ['load before the run', number(facts.loadBefore)],
    ['took', `${whole(facts.seconds)} s${facts.quick ? ' (a quick run: not for quoting)' : ''}`],
  ]
  return table(['', ''], rows)
}

function goalsText(goals) {
  const mark = met => (met === undefined ? 'not measured' : met ? 'met' : '**missed**')
  return table(
    ['goal', 'wanted', 'worst', '', 'where'],
    goals.map(({ goal, wanted, text, met, worst }) => [goal, wanted, text, mark(met), worst]),
  )
}

function libraryText({ cases, growth }) {
  const kinds = [...new Set(cases.map(({ kind, size }) => `${kind}|${size}`))]
  const parts = kinds.map(key => {
    const [kind, size] = key.split('|')
    const rows = cases.filter(row => row.kind === kind && row.size === size)
    const unit = kind === 'streams' ? 'events' : kind
    const cells = rows.map(row =>
      row.failed === undefined
        ? [
            pairText(row),
            whole(row.bytes),
            whole(row.perSecond.median),
            whole(row.floorPerSecond.median),
            number(row.cpuUs.median),
            spreadText(row.ratio),
            row.right ? 'yes' : '**no**',
          ]
        : [pairText(row), '', '', '', '', '', `**${row.failed}**`],
    )
    const heads = [
      'pair',
      'bytes',
      `${unit}/s`,
      `floor ${unit}/s`,
      'CPU µs each',
      'cost over the floor',
      'right',
    ]
    return `### ${kind}, ${size}\n\n${table(heads, cells)}`
  })
  const grown = growth.map(row => [
    row.kind,
    pairText(row),
    row.failed ?? number(row.exponent, 3),
    number(row.floorExponent, 3),
  ])
  return `## Library\n\n${parts.join('\n')}\n### Growth\n\n${table(['what grows', 'pair', 'exponent', 'the floor’s'], grown)}`
}

const scenes = {
  json: 'whole answers',
  burst: '200-delta streams, 20 events a packet',
  paced: '200-delta streams, 1 event a packet',
}

function gatewayText({ rows, huge, memory }) {
  const groups = [...new Set(rows.map(({ scene, connections, size }) => `${scene}|${connections}|${size}`))]
  const heads = [
    '',
    'pair',
    'requests/s',
    'over the pipe',
    'CPU µs per event',
    'CPU over the pipe',
    'p50 ms',
    'added p50',
    'added p99',
    'first byte ms',
    'added',
    'of a core',
    'wrong',
  ]
  const parts = groups.map(key => {
    const [scene, connections, size] = key.split('|')
    const here = rows.filter(
      row => row.scene === scene && String(row.connections) === connections && row.size === size,
    )
    const cells = here.map(row => [
      row.subject,
      pairText(row),
      whole(row.perSecond.median),
      spreadText(row.rateRatio),
      number(row.cpuUsPerEvent.median),
      number(1 / row.cpuRatio.median),
      number(row.p50.median),
      number(row.addedP50.median),
      number(row.addedP99.median),
      number(row.firstByteP50.median),
      number(row.addedFirstByte.median),
      number(row.busy.median),
      row.wrong === 0
        ? `0 of ${whole(row.answers)}`
        : `**${row.wrong}** of ${whole(row.answers)}: ${Object.keys(row.faults).join(', ')}`,
    ])
    return `### ${scenes[scene]}, ${connections} at a time, ${size} requests\n\n${table(heads, cells)}`
  })
  const memoryRows = memory.map(row => [
    row.subject,
    pairText(row),
    whole(row.peakMb),
    number(row.peakMb / memory[0].peakMb),
    whole(row.idleStreams),
    whole(row.idleKbEach),
  ])
  const hugeRows = huge.map(row => [
    row.subject,
    pairText(row),
    number(row.hugeBytes / 2 ** 20, 1),
    number(row.alone.p50),
    number(row.alone.p99),
    number(row.beside.p50),
    number(row.beside.p99),
    number(row.beside.worst),
    number(row.huge.p50, 0),
    whole(row.peakMb),
  ])
  return [
    '## Gateway\n',
    ...parts,
    `### Memory and idle streams\n\n${table(['', 'pair', 'peak MB', 'over the pipe', 'idle streams held', 'KB each'], memoryRows)}`,
    `### A huge request beside 16 connections of small ones\n\n${table(['', 'pair', 'MB', 'small p50 alone', 'p99 alone', 'p50 beside', 'p99 beside', 'worst beside', 'huge p50', 'peak MB'], hugeRows)}`,
  ].join('\n')
}

function peersText(peers) {
  const { rows, started, absent, libraries } = peers
  const missing = [...absent, ...(libraries?.absent ?? [])]
  const raced = fastestPeers(peers)
  const parts = [
    '## Peers\n',
    table(
      [
        'peer',
        'version',
        'pairs it says it can do',
        'start to first answer, ms',
        'memory after, MB',
        'installed MB',
      ],
      started.map(row => [
        row.peer,
        row.version,
        row.pairs.length,
        whole(row.readyMs),
        whole(row.memoryMb),
        row.installedMb === undefined ? '' : whole(row.installedMb),
      ]),
    ),
    ...(missing.length === 0
      ? []
      : [
          table(
            ['could not take part', 'why'],
            missing.map(({ peer, reason }) => [peer, reason]),
          ),
        ]),
    ...['json', 'burst'].map(scene => {
      const cells = rows
        .filter(row => row.scene === scene)
        .map(row => [
          pairText(row),
          row.peer,
          whole(row.perSecond.median),
          number(row.p50.median),
          number(row.cpuMsEach.median),
          `${row.judged.right} of ${row.judged.total}`,
          row.wrong === 0 ? 0 : `**${row.wrong}**`,
        ])
      return `### ${scenes[scene]}, 16 at a time\n\n${table(['pair', 'gateway', 'requests/s', 'p50 ms', 'CPU ms each', 'judged right', 'wrong under load'], cells)}`
    }),
    `### Over the fastest peer that is right\n\n${table(
      ['pair', 'what', 'fastest', 'times'],
      raced.map(row => [pairText(row), scenes[row.scene], row.rival, number(row.times, 1)]),
    )}`,
    `### What was judged wrong\n\n${table(
      ['gateway', 'pair', 'faults'],
      rows
        .filter(row => row.scene === 'json' && row.judged.faults.length > 0)
        .map(row => [row.peer, pairText(row), row.judged.faults.join('; ')]),
    )}`,
  ]
  if (libraries !== undefined) {
    const cells = libraries.rows.map(row => [
      row.peer,
      row.kind,
      pairText(row),
      number(row.toolwireUs?.median, 0),
      number(row.peerUs?.median, 0),
      row.ratio === undefined ? '–' : spreadText(row.ratio),
      row.faults.join('; ') || 'right',
    ])
    parts.push(
      `### Libraries, typical requests and 200-delta streams\n\n${table(['library', 'what', 'pair', 'Toolwire CPU µs', 'its CPU µs', 'its cost over ours', 'judged'], cells)}`,
    )
  }
  return parts.join('\n')
}

function startupText({ node, ready, bundles, installed }) {
  const size = Object.entries(installed).map(([name, bytes]) => [
    `${name}, installed with what it needs`,
    typeof bytes === 'number' ? `${number(bytes / 1e6, 1)} MB` : bytes,
  ])
  const bundle = Object.entries(bundles).map(([name, { bytes, gzip }]) => [
    `bundle: ${name}`,
    `${number(bytes / 1000, 1)} kB, ${number(gzip / 1000, 1)} kB gzip`,
  ])
  return `## Start-up and size\n\n${table(
    ['', ''],
    [
      ['`node -e 0`', `${spreadText(node, 0)} ms`],
      ['`toolwire serve` to its first answer', `${spreadText(ready, 0)} ms`],
      ...size,
      ...bundle,
    ],
  )}`
}

function inspectorText({ firstPaint, listed, frames, nodes }) {
  return `## The inspector in Chromium\n\n${table(
    ['', ''],
    [
      ['first paint, nothing cached', `${spreadText(firstPaint, 0)} ms`],
      ['10,000 exchanges loaded and shown', `${number(listed, 0)} ms`],
      ['a frame while they are scrolled', `${spreadText(frames, 1)} ms`],
      ['95 of 100 frames', `≤ ${number(frames.slow, 1)} ms, the longest ${number(frames.longest, 1)} ms`],
      ['elements in the page then', String(nodes)],
    ],
  )}`
}

function loopText(rows) {
  return `## How long one request holds the event loop\n\n${table(
    ['request', 'status', 'held at a time, CPU ms', 'on the clock, ms', 'answered after ms'],
    rows.map(({ input, status, cpuMs, clockMs, tookMs }) => [
      input,
      String(status),
      number(cpuMs, 0),
      number(clockMs, 0),
      number(tookMs, 0),
    ]),
  )}`
}

function fairText(rows) {
  return `## Beside a key that floods\n\nOne key keeps 200 connections busy; another asks one thing at a time, on another upstream.\n\n${table(
    [
      'what',
      'quiet, p50 ms',
      'flooded, p50 ms',
      'flooded over quiet',
      'flooded, most ms',
      'other requests/s',
    ],
    rows.map(({ what, quiet, flooded, ratio, floodEachSecond }) => [
      what,
      number(quiet.p50, 1),
      number(flooded.p50, 1),
      number(ratio, 2),
      number(flooded.most, 0),
      number(floodEachSecond, 0),
    ]),
  )}`
}

function watchingText(rows) {
  return `## What watching costs\n\n${table(
    ['pair', 'what', 'unwatched, CPU µs each', 'watched', 'watched over unwatched'],
    rows.map(row => [
      pairText(row),
      scenes[row.scene],
      number(row.unwatchedUs, 0),
      number(row.watchedUs, 0),
      spreadText(row.ratio),
    ]),
  )}`
}

/** @param {{ facts: object, goals: import('./goals.mjs').Verdict[], parts: Record<string, any> }} run */
function workersText({ costs, leastShare, rows }) {
  const costHeads = ['connections', 'one process, CPU ms each', 'two workers', 'two alone']
  const overs = ['two workers over one', 'over two alone', 'two alone over one']
  const costCells = costs.map(({ connections, cpuMsEach, overOne, overAlone, aloneOverOne }) => [
    connections,
    ...[cpuMsEach.one, cpuMsEach.two, cpuMsEach.alone].map(value => number(value, 3)),
    ...[overOne, overAlone, aloneOverOne].map(value => spreadText(value)),
  ])
  const heads = ['processes', 'requests/s', 'p50 ms', 'p99 ms', 'p99 over p50']
  const waits = ['first answer p50 ms', 'p99 ms', 'worst ms', 'wrong']
  const cells = rows.map(row => [
    row.workers,
    whole(row.perSecond),
    ...[row.p50, row.p99, row.tail].map(value => number(value)),
    ...[row.acceptP50, row.acceptP99, row.acceptWorst].map(value => number(value, 0)),
    row.wrong,
  ])
  const alone =
    'Two that stand alone know nothing of each other: what they cost above one is the machine’s, whose cores they share with load and upstream.'
  const wide = `Share of the worker that served fewer: ${spreadText(leastShare)}. Latencies are those of 256 connections from each one’s first answer on; the first answer counts from opening the connection, all 256 at once.`
  return `## Worker processes\n\n${alone}\n\n${table([...costHeads, ...overs], costCells)}\n\n${wide}\n\n${table([...heads, ...waits], cells)}`
}

function storesText(rows) {
  const heads = [
    'store',
    'CPU ms each',
    'over the embedded one',
    'requests/s',
    'p50 ms',
    'p99 ms',
    'growth',
    'wrong',
  ]
  const cells = rows.map(row => [
    row.store,
    number(row.cpuMsEach, 3),
    spreadText(row.overEmbedded),
    whole(row.perSecond),
    number(row.p50),
    number(row.p99),
    row.exponent === undefined ? '–' : number(row.exponent, 3),
    row.wrong,
  ])
  return `## Stores\n\nCPU of the gateway for a response that is kept, without that of the server; growth: the exponent of the bytes over the turns of a conversation.\n\n${table(heads, cells)}`
}

export function reportText({ facts, goals, parts }) {
  return [
    '# Last run\n',
    'Written by `npm run bench`; the method is in `bench/README.md`. A figure in parentheses is the middle half of the rounds.\n',
    machineText(facts),
    '## Goals\n',
    goalsText(goals),
    ...(parts.gateway === undefined ? [] : [gatewayText(parts.gateway)]),
    ...(parts.peers === undefined ? [] : [peersText(parts.peers)]),
    ...(parts.library === undefined ? [] : [libraryText(parts.library)]),
    ...(parts.startup === undefined ? [] : [startupText(parts.startup)]),
    ...(parts.loop === undefined ? [] : [loopText(parts.loop)]),
    ...(parts.fair === undefined ? [] : [fairText(parts.fair)]),
    ...(parts.watching === undefined ? [] : [watchingText(parts.watching)]),
    ...(parts.workers === undefined ? [] : [workersText(parts.workers)]),
    ...(parts.stores === undefined ? [] : [storesText(parts.stores)]),
    ...(parts.inspector === undefined ? [] : [inspectorText(parts.inspector)]),
  ].join('\n')
}
