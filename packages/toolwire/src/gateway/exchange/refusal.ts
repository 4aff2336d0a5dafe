/** An upstream's refusal, in the format of the client's wire and with the upstream's headers about retries. */
import type { WireDefinition } from '@toolwire/core'
import { isObject, jsonExcess, own } from '@toolwire/core/json'
import type { FailureKind } from '../errors.ts'
import { headerText } from '../http/headers.ts'
import type { JsonObject } from '../http/json-body.ts'
import type { UpstreamAnswer } from '../upstream/attempt.ts'
import { collectBody } from '../upstream/read-body.ts'
import { missingModelHint } from './missing-model.ts'
import { messageOf } from './refusal-message.ts'
import type { ExchangeRun } from './run.ts'

export interface Refusal {
  readonly value: unknown
  readonly status: number
  readonly headers: Record<string, string>
  readonly message: string
  readonly code: string
  readonly kind: FailureKind
}

const longestError = 1024 * 1024
/** How much of a page is looked at for words to show. */
const shownPage = 16 * 1024
/** An error is small; a body that is not one is shown as a text. */
const errorDepth = 64
const errorNodes = 10_000

/** A redirect is one too: to follow it would send the key to an address that is not in the settings. */
export function isRefusal({ status }: UpstreamAnswer): boolean {
  return status >= 300
}

export async function readRefusal(run: ExchangeRun, answer: UpstreamAnswer): Promise<Refusal> {
  const { exchange, upstream, context, stopwatch, wire } = run
  const { gateway, signal, observation } = context
  const bytes = await stopwatch.wait(
    collectBody({
      answer,
      limit: longestError,
      clock: gateway.clock,
      idleMs: upstream.timeouts.idleMs,
      signal,
      name: upstream.name,
    }),
  )
  const text = bytes.toString('utf8')
  if (observation.wantsViews) observation.view('upstream-answer', text)
  const body = answer.status < 400 ? undefined : errorObject(text, upstream.wire)
  const kind = kindOf(answer.status)
  const hint = answer.status === 404 ? await hintFor(run) : undefined
  const converted =
    body === undefined
      ? exchange.failure({
          kind,
          message: withHint(describe(upstream.name, answer.status, text), hint?.text),
          ...(hint !== undefined && { code: hint.code }),
        })
      : convertError(run, body, answer.status, hint)
  const failure = { code: `upstream_${answer.status}`, message: messageOf(converted.value, wire) }
  observation.facts.failure = failure
  return {
    value: converted.value,
    // 529 is known to few clients; each wire has its own status for an overloaded server.
    status: answer.status < 400 ? 502 : answer.status === 529 ? converted.status : answer.status,
    headers: retryHeaders(answer.headers, gateway.retryHeaders),
    ...failure,
    kind,
  }
}

/** A refused key is one whatever the body calls it, which is often any invalid request. */
function convertError(
  { exchange, upstream, wire }: ExchangeRun,
  body: JsonObject,
  status: number,
  hint: Hint | undefined,
): { readonly value: JsonObject; readonly status: number } {
  const kind = kindOf(status)
  const { error } = upstream.wire.conversation.decodeAnswer(body, () => undefined)
  const told = error ?? { message: describe(upstream.name, status, looseMessage(body)) }
  if (hint !== undefined) {
    const message = withHint(told.message, hint.text)
    return exchange.failure({ code: hint.code, ...told, kind: 'not_found', message })
  }
  const isAboutKey = status === 401 || status === 403
  const isOwnWire = wire === upstream.wire
  if (error === undefined && isOwnWire && !isAboutKey) return { value: body, status }
  const isNamed = !isAboutKey || error?.kind === kind || error?.kind === 'authentication'
  if (error !== undefined && isNamed) return exchange.response(body)
  const named = exchange.failure({ ...told, kind })
  return isOwnWire ? { ...named, value: laidOver(body, named.value) } : named
}

/** What an error says that is not of any wire, such as `{ "detail": "…" }` of many Python servers. */
function looseMessage(body: JsonObject): string {
  const said = own(body, 'message') ?? own(body, 'detail') ?? body
  if (typeof said === 'string') return said
  const list: readonly unknown[] = Array.isArray(said) ? said : [said]
  const messages = list.map(one => (isObject(one) ? (own(one, 'msg') ?? own(one, 'message')) : one))
  return messages.every(one => typeof one === 'string') ? messages.join(' ') : JSON.stringify(said)
}

/** The body with what the error says instead; whatever else it holds is the upstream's own and stays. */
function laidOver(body: JsonObject, error: JsonObject): JsonObject {
  const members = Object.entries(error).map(([name, value]) => {
    const below = own(body, name)
    if (isObject(value) && isObject(below)) return [name, laidOver(below, value)]
    return [name, value ?? below ?? null]
  })
  return { ...body, ...Object.fromEntries(members) }
}

interface Hint {
  readonly text: string
  readonly code: string
}

/** What a 404 is probably about, and what to do. */
async function hintFor(run: ExchangeRun): Promise<Hint | undefined> {
  if (run.job === 'compact') {
    const text = `If upstream "${run.upstream.name}" makes no summaries, set its "profile" to { "compacts": false }: then they are made here.`
    return { text, code: 'compaction_failed' }
  }
  const text = await missingModelHint(run)
  return text === undefined ? undefined : { text, code: 'model_not_found' }
}

function withHint(message: string, hint: string | undefined): string {
  if (hint === undefined) return message
  return message === '' ? hint : `${message}${/[.!?]$/.test(message) ? '' : '.'} ${hint}`
}

function errorObject(text: string, { service }: WireDefinition): JsonObject | undefined {
  if (jsonExcess(text, errorDepth, errorNodes) !== undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    // Some servers send a list with one error in it.
    const body: unknown = Array.isArray(value) ? value[0] : value
    return isObject(body) && service.http.isErrorBody(body) ? body : undefined
  } catch {
    return undefined
  }
}

function describe(name: string, status: number, text: string): string {
  if (status < 400) {
    return `Upstream "${name}" answered with a redirect (${status}), which is not followed. Correct its address.`
  }
  const words = withoutTags(text.slice(0, shownPage)).replaceAll(/\s+/g, ' ').trim().slice(0, 300)
  return `Upstream "${name}" answered with status ${status}${words === '' ? '.' : `: ${words}`}`
}

/** A loop, because a pattern takes time in the square of a page of `<` that are never closed. */
function withoutTags(page: string): string {
  let words = ''
  let done = 0
  for (let open = page.indexOf('<'); open !== -1; open = page.indexOf('<', done)) {
    const close = page.indexOf('>', open)
    if (close === -1) break
    words += `${page.slice(done, open)} `
    done = close + 1
  }
  return words + page.slice(done)
}

function kindOf(status: number): FailureKind {
  switch (status) {
    case 401:
      return 'authentication'
    case 402:
    case 403:
      return 'permission'
    case 404:
      return 'not_found'
    case 409:
      return 'conflict'
    case 413:
      return 'too_large'
    case 429:
      return 'rate_limit'
    case 408:
    case 504:
      return 'timeout'
    case 503:
    case 529:
      return 'overloaded'
    default:
      return status >= 400 && status < 500 ? 'invalid_request' : 'server'
  }
}

function retryHeaders(headers: Readonly<Record<string, string>>, passed: RegExp): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      passed.test(name) ? [[name, headerText(value)]] : [],
    ),
  )
}
