/** The clients of a simulation: those that read to the end, slow ones, and those that disconnect. */
import type { Gateway } from '../../../packages/toolwire/src/gateway/create-gateway.ts'
import type { GatewayRequest, Sink } from '../../../packages/toolwire/src/gateway/http/contract.ts'
import { textOf } from '../faults/upstream.ts'
import { paths } from '../faults/wires.ts'
import type { Plan } from './plan.ts'
import type { SimulationState, SoakExchange } from './state.ts'

export interface SoakClient {
  readonly exchange: SoakExchange
  readonly status: number | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  readonly isEnded: boolean
  readonly isGone: boolean
  /** It has not read yet what was written. */
  readonly isBlocked: boolean
  readonly signal: AbortSignal
  readonly done: Promise<void>
}

export interface SoakClientOptions {
  readonly state: SimulationState
  readonly gateway: Gateway
  readonly exchange: SoakExchange
  /** Called with each write before the client can react to it. */
  readonly onWrite: (text: string) => void
}

/** A blocked client may still get the end and what was already on its way, after the write that blocked it. */
const maxWhileBlocked = 4

export function startClient({ state, gateway, exchange, onWrite }: SoakClientOptions): SoakClient {
  const { clock } = state
  const { plan } = exchange
  const { random, behaviour } = plan
  const report = (what: string): void => state.report(exchange, what)
  const gone = new AbortController()
  const parts: string[] = []
  const draining: (() => void)[] = []
  let status: number | undefined
  let headers: Readonly<Record<string, string>> = {}
  let isEnded = false
  let isBlocked = false
  let whileBlocked = 0
  let waiting = 0
  const blocksAfter = random.below(12)

  const isSlowNow = (): boolean =>
    behaviour === 'frozen' ? parts.length > blocksAfter : behaviour === 'slow' && random.chance(0.3)
  const block = (): void => {
    isBlocked = true
    whileBlocked = 0
    if (behaviour === 'frozen') return
    clock.after(random.between(1, 1500), () => {
      isBlocked = false
      waiting = 0
      for (const callback of draining.splice(0)) callback()
    })
  }
  const write = (chunk: string | Uint8Array): boolean => {
    if (status === undefined) report('a write before the head')
    if (isEnded) report('a write after the end')
    const text = textOf(chunk)
    if (gone.signal.aborted) return true
    parts.push(text)
    onWrite(text)
    waiting = isBlocked ? waiting + text.length : 0
    if (isBlocked) {
      if (++whileBlocked > maxWhileBlocked) report(`${whileBlocked} writes to a client that is blocked`)
      return false
    }
    if (isSlowNow()) {
      block()
      waiting = text.length
    }
    return !isBlocked
  }
  const sink: Sink = {
    head(code, sentHeaders) {
      if (status !== undefined) report('a second head')
      status = code
      headers = sentHeaders
    },
    write,
    end(chunk) {
      if (isEnded) report('a second end')
      if (chunk !== undefined) write(chunk)
      isEnded = true
    },
    onDrain: callback => draining.push(callback),
    get waiting() {
      return waiting
    },
    cut() {
      if (behaviour !== 'frozen') report('the connection was cut')
      gone.abort()
    },
  }
  const client = {
    exchange,
    get status() {
      return status
    },
    get headers() {
      return headers
    },
    get text() {
      return parts.join('')
    },
    get isEnded() {
      return isEnded
    },
    get isBlocked() {
      return isBlocked && !gone.signal.aborted
    },
    get isGone() {
      return gone.signal.aborted
    },
    signal: gone.signal,
    done: gateway.handle(requestOf(exchange, state, gone.signal), sink).then(
      () => {
        exchange.isDone = true
      },
      (error: unknown) => {
        exchange.isDone = true
        report(`handle rejected: ${error}`)
      },
    ),
  }
  if (behaviour === 'leaves' || behaviour === 'leaves early') {
    clock.after(plan.leavesAfter, () => {
      if (!exchange.isDone) leave()
    })
  }
  return client

  function leave(): void {
    gone.abort()
    if (plan.form === 'background') return
    clock.after(100, () => {
      const open = exchange.flows.filter(({ how }) => how === 'open').length
      if (open > 0) report(`${open} requests to the upstream are open 100 ms after the client left`)
    })
  }
}

export const keyOf = ({ plan, continues }: SoakExchange): string => `key-${continues?.owner ?? plan.owner}`

function requestOf(exchange: SoakExchange, { clock }: SimulationState, signal: AbortSignal): GatewayRequest {
  const { plan } = exchange
  const body = Buffer.from(JSON.stringify(bodyOf(exchange)))
  return {
    method: 'POST',
    target: paths[plan.client],
    headers: {
      host: 'localhost',
      'content-type': 'application/json',
      authorization: `Bearer ${keyOf(exchange)}`,
    },
    signal,
    async body() {
      // A client that leaves early never finishes its request.
      if (plan.behaviour === 'leaves early') return new Promise(() => {})
      if (plan.random.chance(0.3)) {
        await new Promise<void>(resolve => clock.after(plan.random.between(1, 800), resolve))
      }
      return body
    },
  }
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
/** Longer than other wires allow, so that the conversion must change and restore it. */
const longName = `weather_${'in_the_mountains_'.repeat(5)}`

/** The client's name of a planned tool. */
export function nameOf({ client, upstream }: Plan, tool: string): string {
  return tool === 'weather' && client === 'messages' && upstream !== 'messages' ? longName : tool
}

export const promptOf = ({ n }: Plan): string => `(${n}) How is the weather?`

export function bodyOf(exchange: SoakExchange): object {
  const { plan } = exchange
  const { n, client, upstream, form, stores } = plan
  const head = { model: `${upstream}-${n}`, ...(form === 'streamed' && { stream: true }) }
  const messages = [{ role: 'user', content: promptOf(plan) }]
  if (client === 'chat')
    return { ...head, messages, tools: [{ type: 'function', function: { name: 'weather', parameters } }] }
  if (client === 'messages')
    return {
      ...head,
      messages,
      max_tokens: 500,
      tools: [{ name: nameOf(plan, 'weather'), input_schema: parameters }],
    }
  return {
    ...head,
    ...(!stores && { store: false }),
    ...(form === 'background' && { background: true }),
    ...continuationOf(exchange),
    tools: [
      { type: 'function', name: 'weather', parameters, strict: false },
      ...(upstream === 'responses' ? [] : [{ type: 'custom', name: 'patch' }]),
    ],
  }
}

function continuationOf({ plan, continues }: SoakExchange): object {
  if (continues === undefined) return { input: promptOf(plan) }
  const { answer } = continues
  const results = answer.calls.map(({ id, name }) => ({
    type: name === 'patch' ? 'custom_tool_call_output' : 'function_call_output',
    call_id: id,
    output: `done ${id}`,
  }))
  return {
    previous_response_id: answer.responseId,
    input: [...results, { role: 'user', content: promptOf(plan) }],
  }
}
