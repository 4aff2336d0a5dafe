/** Which places of two bodies mean the same: instructions and the first message, items and blocks, settings by any name. */
import type { Path } from '@toolwire/core'
import { isObject, type JsonObject } from '@toolwire/core/json'
import type { Part, Request, Tool, Turn, WireConversation } from '@toolwire/core/wires'

export interface Pair {
  readonly kind: 'setting' | 'tool' | 'message' | 'other'
  readonly label: string
  readonly client: readonly Path[]
  readonly upstream: readonly Path[]
}

/** A body that was decoded, as far as it could be. */
export interface DecodedSide {
  readonly body: JsonObject
  readonly turns: readonly Turn[]
  readonly request?: Request
}

const ignore = (): void => {}

export function decodeRequest(body: JsonObject, codec: WireConversation): DecodedSide {
  const request = codec.decodeRequest(body, ignore)
  return { body, turns: request.turns, request }
}

export function decodeAnswer(body: JsonObject, codec: WireConversation): DecodedSide {
  return { body, turns: codec.decodeAnswer(body, ignore).turns }
}

export function pairsOf(client: DecodedSide | undefined, upstream: DecodedSide | undefined): Pair[] {
  const pairs = [
    ...settingPairs(client?.request, upstream?.request),
    ...messagePairs(client?.turns ?? [], upstream?.turns ?? []),
    ...toolPairs(client?.request, upstream?.request),
  ]
  return [...pairs, ...otherPairs(client?.body ?? {}, upstream?.body ?? {}, pairs)]
}

function settingPairs(client: Request | undefined, upstream: Request | undefined): Pair[] {
  const [ours, theirs] = [placesOf(client), placesOf(upstream)]
  return [...new Set([...ours.keys(), ...theirs.keys()])].map(name => ({
    kind: 'setting',
    label: name,
    client: listOf(ours.get(name)),
    upstream: listOf(theirs.get(name)),
  }))
}

function placesOf(request: Request | undefined): Map<string, Path> {
  const places = new Map<string, Path>()
  if (request === undefined) return places
  for (const [name, setting] of Object.entries(request.settings)) places.set(name, setting.path.slice(0, 1))
  const { choice, parallelPath } = request.tools
  if (choice !== undefined) places.set('tool choice', choice.path)
  if (parallelPath !== undefined) places.set('parallel calls', parallelPath)
  return places
}

const listOf = (path: Path | undefined): readonly Path[] => (path === undefined ? [] : [path])

function toolPairs(client: Request | undefined, upstream: Request | undefined): Pair[] {
  const [ours, theirs] = [client, upstream].map(request => [
    ...(request?.tools.tools ?? []),
    ...(request?.tools.additionalTools ?? []),
  ])
  const left = [...(theirs ?? [])]
  const take = (fits: (other: Tool) => boolean): Tool[] => {
    const taken = left.filter(fits)
    for (const other of taken) left.splice(left.indexOf(other), 1)
    return taken
  }
  const named = (ours ?? []).map(tool => {
    const names = namesOf(tool)
    return { tool, names, matched: take(other => namesOf(other).some(name => names.includes(name))) }
  })
  const pairs = named.map(({ tool, names, matched }, i): Pair => {
    // An adapted name may share nothing with the one before; where both lists are as long, the order tells. A hosted tool
    // keeps its name or is left out.
    const isOrdered = matched.length === 0 && ours?.length === theirs?.length && tool.kind !== 'hosted'
    const others = isOrdered ? take(other => other === theirs?.[i]) : matched
    return {
      kind: 'tool',
      label: names[0] ?? 'tool',
      client: [tool.root],
      upstream: others.map(({ root }) => root),
    }
  })
  const rest = left.map(
    (tool): Pair => ({ kind: 'tool', label: namesOf(tool)[0] ?? 'tool', client: [], upstream: [tool.root] }),
  )
  return [...pairs, ...rest]
}

function namesOf(tool: Tool): string[] {
  switch (tool.kind) {
    case 'namespace':
      return [
        tool.name,
        ...tool.tools.flatMap(namesOf),
        ...tool.tools.flatMap(namesOf).map(name => `${tool.name}__${name}`),
      ]
    case 'hosted':
      return [tool.label ?? tool.family, tool.type, tool.family]
    case 'opaque':
      return isObject(tool.value) && typeof tool.value.name === 'string' ? [tool.value.name] : []
    default:
      return [tool.name]
  }
}

/** Turns belong together that share a text, a call or a result; what one wire groups, the other may keep apart. */
function messagePairs(client: readonly Turn[], upstream: readonly Turn[]): Pair[] {
  const byKey = new Map<string, number[]>()
  client.forEach((turn, i) => {
    for (const key of turn.parts.flatMap(keysOf)) byKey.set(key, [...(byKey.get(key) ?? []), i])
  })
  const rows: { readonly ours: Set<number>; readonly theirs: Set<number> }[] = []
  const rowOf = new Map<number, (typeof rows)[number]>()
  upstream.forEach((turn, j) => {
    const matched = turn.parts.flatMap(keysOf).flatMap(key => takeFirst(byKey.get(key)))
    const near = matched.length > 0 ? matched : containing(client, turn)
    const known = near.map(i => rowOf.get(i)).find(row => row !== undefined)
    const row = known ?? { ours: new Set<number>(), theirs: new Set<number>() }
    if (known === undefined) rows.push(row)
    row.theirs.add(j)
    for (const i of near) {
      row.ours.add(i)
      rowOf.set(i, row)
    }
  })
  client.forEach((_, i) => {
    if (!rowOf.has(i)) rows.push({ ours: new Set([i]), theirs: new Set() })
  })
  return rows
    .sort((a, b) => placeIn(a, client.length, upstream.length) - placeIn(b, client.length, upstream.length))
    .map(({ ours, theirs }) => {
      const [mine, other] = [
        [...ours].flatMap(i => client[i] ?? []),
        [...theirs].flatMap(i => upstream[i] ?? []),
      ]
      return {
        kind: 'message',
        label: labelOf(mine.length > 0 ? mine : other),
        client: mine.map(({ root }) => root),
        upstream: other.map(({ root }) => root),
      }
    })
}

/** The same text twice belongs to two messages, one after the other. */
function takeFirst(indexes: number[] | undefined): number[] {
  if (indexes === undefined) return []
  const [first] = indexes
  if (indexes.length > 1) indexes.shift()
  return first === undefined ? [] : [first]
}

/** How far down a row stands, as a share of its list. */
function placeIn(
  row: { ours: Set<number>; theirs: Set<number> },
  clientLength: number,
  upstreamLength: number,
): number {
  const [mine] = row.ours
  if (mine !== undefined) return mine / Math.max(1, clientLength)
  const [other = 0] = row.theirs
  return other / Math.max(1, upstreamLength)
}

const shortestContained = 8
const mostCompared = 400

/** Turns of the client whose text stands within this one, or the other way round, as when instructions are joined. */
function containing(client: readonly Turn[], turn: Turn): number[] {
  const text = textsOf(turn).join('\n')
  if (text.length < shortestContained) return []
  return client.slice(0, mostCompared).flatMap((other, i) => {
    const theirs = textsOf(other)
    const isIn = theirs.some(each => each.length >= shortestContained && text.includes(each))
    return isIn || (theirs.length > 0 && theirs.join('\n').includes(text)) ? [i] : []
  })
}

const textsOf = ({ parts }: Turn): string[] =>
  parts.flatMap(part =>
    part.kind === 'text' ? [part.text] : part.kind === 'reasoning' ? [readableIn(part)] : [],
  )

const readableIn = ({ text, summary }: Extract<Part, { kind: 'reasoning' }>): string =>
  (text.length > 0 ? text : summary).join('\n\n')

function keysOf(part: Part): string[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [`text ${part.text}`]
    case 'call':
      return [`call ${part.id ?? `${part.name} ${part.input}`}`]
    case 'result':
      return [`result ${part.callId ?? ''}`, ...part.content.flatMap(keysOf)]
    case 'reasoning': {
      // Where a wire takes no reasoning, it is sent as a text.
      const readable = readableIn(part)
      return [
        `reasoning ${[...part.summary, ...part.text].join('\n')}`,
        ...(readable === '' ? [] : [`text ${readable}`]),
      ]
    }
    case 'image':
    case 'file':
      return [`${part.kind} ${JSON.stringify(part.source).slice(0, 2000)}`]
    default:
      return []
  }
}

/** What one wire has apart, such as reasoning and a call, is named after all of it. */
function labelOf(turns: readonly Turn[]): string {
  return [...new Set(turns.map(nameOfTurn))].join(', ')
}

function nameOfTurn(turn: Turn): string {
  const [only] = turn.parts
  if (turn.instructions === true || turn.role === 'system' || turn.role === 'developer') return 'instructions'
  if (turn.parts.length === 1 && only !== undefined && only.kind !== 'text') return only.kind
  return turn.role
}

/** Members of the bodies that are none of the above, by what they are called. */
function otherPairs(client: JsonObject, upstream: JsonObject, pairs: readonly Pair[]): Pair[] {
  const used = (side: 'client' | 'upstream'): ReadonlySet<unknown> =>
    new Set(pairs.flatMap(pair => pair[side].flatMap(path => (path.length === 0 ? ofMessages : [path[0]]))))
  const [ours, theirs] = [byMeaning(client, used('client')), byMeaning(upstream, used('upstream'))]
  const names = new Set([...ours.keys(), ...theirs.keys()])
  return [...names].flatMap((name): Pair[] => {
    const [mine, other] = [ours.get(name), theirs.get(name)]
    // Nothing on one side is nothing on the other.
    if (mine === undefined ? upstream[name] === null : other === undefined && client[name] === null) return []
    return [{ kind: 'other', label: name, client: listOf(mine), upstream: listOf(other) }]
  })
}

/** Where a body is a message, these are its parts, and not fields beside it. */
const ofMessages = ['type', 'role', 'content', 'stop_reason', 'stop_sequence']

/** Members that have another name on another wire. */
const otherNames = new Map([['created', 'created_at']])

function byMeaning(body: JsonObject, used: ReadonlySet<unknown>): Map<string, Path> {
  const meaning = (key: string): string => {
    const other = otherNames.get(key)
    return other === undefined || Object.hasOwn(body, other) ? key : other
  }
  return new Map(
    Object.keys(body)
      .filter(key => !used.has(key))
      .map(key => [meaning(key), [key]]),
  )
}
