/**
 * The work on one large request, as a worker thread does it: reading it, and converting it for the upstream. What goes in
 * and out is plain data and bytes; the objects of a large request never cross the threads (decision 20).
 */
import type { ExchangeOptions, SentCall, WireDefinition } from '@toolwire/core'
import { createExchange } from '@toolwire/core'
import type { JsonObject } from '@toolwire/core/json'
import { countJsonNodes, jsonExcess } from '@toolwire/core/json'
import { planRequest } from '../compaction/plan.ts'
import { userMessages, windowDemand } from '../compaction/window.ts'
import { GatewayError } from '../errors.ts'
import { withoutCallLimit } from '../exchange/call-limit.ts'
import { mayCompact, mayHoldEnvelope, mayRefer } from '../exchange/may-refer.ts'
import type { PeekFields } from '../exchange/peek-request.ts'
import { peekRequest } from '../exchange/peek-request.ts'
import { withoutPaths } from '../exchange/without-paths.ts'
import { asBuffer } from '../http/bytes.ts'
import { parseJsonBody } from '../http/json-body.ts'
import { randomId } from '../random-id.ts'
import { assembleState, referredIds, toClientPaths } from '../responses-api/state.ts'
import { countTokensOf } from '../routes/count-request.ts'
import { createSeal } from '../sealing/create-seal.ts'
import { finderOf } from '../sealing/kept-reasoning.ts'
import { estimateTokens } from '../tenants/estimate-tokens.ts'
import { withoutFields } from '../upstream/flags.ts'
import type { GivenTexts } from './given-texts.ts'
import { headOf } from './plain-data.ts'
import type {
  ConvertedRequest,
  ConvertJob,
  CountJob,
  CrossingState,
  ExtendJob,
  ReadJob,
  ReadRequest,
  RewriteJob,
  Sealing,
  TokenCount,
} from './protocol.ts'
import { wireNamed } from './worker-wires.ts'

/** What is not history comes back to the event loop, which writes and sends it again: about a million tokens. */
const headLength = 4 * 1024 * 1024
/** So many owners and items are looked up for one request. */
const mostReferences = 20_000

export class LargeRequest {
  readonly #bytes: Uint8Array
  readonly #wire: WireDefinition
  readonly #facts: ReturnType<WireDefinition['service']['http']['read']>
  readonly #limits: ReadJob['limits']
  readonly #fields: PeekFields
  readonly #isMetered: boolean
  readonly #given: GivenTexts

  constructor({ bytes, wire, limits, fields, isMetered, ...received }: ReadJob, given: GivenTexts) {
    this.#given = given
    this.#bytes = bytes
    this.#wire = wireNamed(wire)
    this.#limits = limits
    this.#fields = fields
    this.#isMetered = isMetered
    this.#facts = this.#wire.service.http.read({ ...received, body: parseJsonBody(bytes, limits) })
  }

  get bytes(): Uint8Array {
    return this.#bytes
  }

  read(): ReadRequest {
    const { model, streamed, body } = this.#facts
    const { historyField = '', heldIds } = this.#wire.service.http
    const peek = peekRequest(this.#bytes, this.#limits, this.#fields)
    const references = heldIds?.references(body) ?? []
    const referred = referredIds(body[historyField])
    if (references.length > mostReferences || referred.length > mostReferences) throw tooManyReferences()
    return {
      model,
      streamed,
      head: this.#checkHead(headOf(body, historyField)),
      nodes: peek?.nodes ?? countJsonNodes(asBuffer(this.#bytes).toString('latin1')),
      isPlain:
        peek !== undefined &&
        !mayHoldEnvelope(this.#bytes) &&
        (heldIds === undefined || !mayRefer(this.#bytes, heldIds)),
      mayCompact: mayCompact(this.#bytes),
      tokens: this.#isMetered ? estimateTokens(this.#bytes) : 0,
      references,
      referred,
      calls: body.store === false ? [] : this.#callsWithoutReasoning(),
    }
  }

  #callsWithoutReasoning(): readonly SentCall[] {
    const wire = this.#wire
    return createExchange({ from: wire, to: wire, parsed: true }).callsWithoutReasoning(this.#facts.body)
  }

  sentCallIds(crossed: CrossingState | undefined): readonly string[] {
    const { body } = this.#facts
    const found = crossed && this.#given.state(crossed)
    const whole = found === undefined ? body : assembleState(body, found, randomId).body
    return createExchange({ from: this.#wire, to: this.#wire, parsed: true }).sentCallIds(whole)
  }

  async convert(job: ConvertJob): Promise<ConvertedRequest> {
    const wire = this.#wire
    const upstreamWire = wireNamed(job.upstreamWire)
    const given = withoutPaths(this.#facts.body, job.foreign)
    const body = job.isWindow ? { ...given, store: false } : given
    const state = job.state && assembleState(body, this.#given.state(job.state), randomId)
    const exchange = createExchange({
      from: wire,
      to: upstreamWire,
      upstream: job.upstream,
      newId: randomId,
      ...sealOptions(job.sealing),
      compacts: true,
      ...(job.records.size > 0 && { serverCallRecordFor: (id: string) => job.records.get(id) }),
      ...job.options,
    })
    const sent = withoutCallLimit(state?.body ?? body, wire, upstreamWire)
    const options = {
      clientRequest: body,
      ...finderOf(job.kept, job.upstream),
      ...(job.isWindow && { demand: windowDemand }),
    }
    const { plan, demand, ...planned } = await planRequest({
      exchange,
      convert: summary =>
        exchange.request(sent, summary === undefined ? options : { ...options, compacted: { summary } }),
      upstreamWire,
      model: job.model,
      streamed: job.streamed,
      isOffLoop: true,
      newId: randomId,
    })
    const { body: value, told } = withoutFields(planned.value, job.late)
    const found = [...planned.diagnostics, ...told]
    const isSame = !job.isRenamed && state === undefined && told.length === 0
    const passes = isSame && exchange.isPassthrough
    const diagnostics = passes ? [] : state === undefined ? found : toClientPaths(found, state, body)
    const input = state?.isStored || state?.isKept ? state.input() : []
    this.#given.offer(input)
    const window = job.isWindow ? userMessages(sent) : undefined
    const native = exchange.nativeCompaction
    const facts = { passes, diagnostics, hasInput: input.length > 0, plan, demand, native, window }
    if (passes && job.isPlain) return { bytes: this.#bytes, ...facts }
    const { model, streamed } = job
    const written = upstreamWire.service.http.write({ model, streamed, body: passes ? body : value })
    return { bytes: encode(written), ...facts }
  }

  /** The client's request for an upstream of its own wire, which may know the model by another name. */
  rewrite({ model, foreign }: RewriteJob): { readonly bytes: Uint8Array } {
    const { streamed, body } = this.#facts
    const own = withoutPaths(body, foreign)
    return { bytes: encode(this.#wire.service.http.write({ model, streamed, body: own })) }
  }

  count({ model }: CountJob): Promise<TokenCount> {
    const history = this.#given.of('history')
    const countable = { body: this.#facts.body, bytes: this.#bytes.length, history }
    return countTokensOf(countable, { wire: this.#wire, model, isOffLoop: true })
  }

  /** The event loop adapts tools and settings once more, so they have to be few enough for it. */
  #checkHead(head: JsonObject): JsonObject {
    const { depth, headNodes } = this.#limits
    const text = JSON.stringify(head)
    if (text.length > headLength) {
      throw new GatewayError(
        'too_large',
        `What this request has beside its messages, such as instructions, tools and metadata, has more than ${headLength} characters. Move long texts into the messages.`,
        { code: 'body_too_large' },
      )
    }
    if (jsonExcess(text, depth, headNodes) === undefined) return head
    throw new GatewayError(
      'too_large',
      `The tools and settings of this request have more than ${headNodes} values. Send fewer, or raise "limits.headNodes".`,
      { code: 'body_too_many_nodes' },
    )
  }
}

function tooManyReferences(): GatewayError {
  return new GatewayError(
    'too_large',
    `The request refers to items, files or the like more than ${mostReferences} times. Send fewer.`,
    { code: 'body_too_many_nodes' },
  )
}

/** One request to the upstream, and what the next has that it had not. */
export function extendRequest({ bytes, historyField, added, changed }: ExtendJob): {
  readonly bytes: Uint8Array
} {
  const body = JSON.parse(asBuffer(bytes).toString()) as JsonObject
  const history = body[historyField]
  if (added.length === 0) return { bytes: encode({ ...body, ...changed }) }
  const longer = Array.isArray(history) ? [...history, ...added] : withText(added, history)
  return { bytes: encode({ ...body, ...changed, [historyField]: longer }) }
}

/** A history that was one text is an item now, the first, and the text is empty there (`headOf`). */
function withText([first, ...added]: readonly unknown[], text: unknown): unknown[] {
  const whole: unknown = JSON.parse(JSON.stringify(first), (_, value) => (value === '' ? text : value))
  return [typeof text === 'string' ? whole : first, ...added]
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value))
}

/** Functions do not cross threads, so a worker makes the seal from its keys. */
export function sealOptions({
  keys,
  owner,
  sealsOwnWire,
}: Sealing): Pick<ExchangeOptions, 'seal' | 'sealsOwnWire'> {
  return { seal: createSeal(keys, owner), sealsOwnWire }
}
