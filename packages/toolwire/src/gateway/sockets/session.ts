/**
 * One socket of a client. Each message that asks for a response becomes a request like any other, and its stream messages
 * on the same lane: in order within a lane, at the same time on several.
 */
import type { WireDefinition } from '@toolwire/core'
import { isObject, parseJson } from '@toolwire/core/json'
import type { GatewayContext, RequestContext } from '../context.ts'
import type { GatewayError } from '../errors.ts'
import { asGatewayError, shuttingDown } from '../errors.ts'
import { Abort } from '../http/abort.ts'
import { Holding } from '../http/byte-budget.ts'
import type { GatewayRequest, MessageListener, MessageSocket, Sink } from '../http/contract.ts'
import { controlFailed, refusalMessage } from './error-message.ts'
import { KeptResponses } from './kept-responses.ts'
import { LaneSink } from './lane-sink.ts'
import { Liveness } from './liveness.ts'
import type { ClientMessage } from './message.ts'
import { notAMessage } from './message.ts'
import { MessageReader } from './message-reader.ts'
import {
  interrupted,
  limitCode,
  noBackground,
  noInjecting,
  noSteering,
  notActive,
  tooMany,
  tooOld,
  unknownType,
} from './refusals.ts'

type Handle = (request: GatewayRequest, sink: Sink) => Promise<void>

/** The memory for the message is taken until the request has it. */
interface Waiting {
  readonly message: ClientMessage
  readonly bytes: number
}

interface Lane {
  readonly waiting: Waiting[]
  readonly running: Abort
  /** Of the response that is being written, once its first event was sent. */
  responseId: string | undefined
  /** The client wants it to end, and does not know yet what came of that. */
  isInterrupted: boolean
}

/** What a client may have unread of answers to its messages before no more of them are read. */
const mostUnread = 1024 * 1024

export class SocketSession implements MessageListener {
  readonly #gateway: GatewayContext
  readonly #handle: Handle
  readonly #wire: WireDefinition
  /** Of the request that opened it. */
  readonly #id: string
  readonly #request: Pick<GatewayRequest, 'headers' | 'target'>
  /** Of messages that arrive or wait. */
  readonly #memory: Holding
  readonly #reader: MessageReader
  readonly #gone = new Abort()
  readonly #kept: KeptResponses
  readonly #lanes = new Map<string | undefined, Lane>()
  readonly #onClosed: (session: SocketSession) => void
  #socket: MessageSocket | undefined
  #liveness: Liveness | undefined
  #arriving = 0
  #waiting = 0
  #unread = 0
  /** Why no more requests are taken. */
  #retired: GatewayError | undefined
  /** It is being closed: nothing more is read of it. */
  #isLeaving = false
  #isClosed = false
  #cancelCut = (): void => {}

  constructor(context: RequestContext, handle: Handle, onClosed: (session: SocketSession) => void) {
    const { gateway, request, wire, share } = context
    this.#gateway = gateway
    this.#handle = handle
    this.#wire = wire
    this.#id = context.id
    this.#request = { target: request.target, headers: requestHeaders(request.headers) }
    this.#memory = new Holding(gateway.memory, share)
    this.#reader = new MessageReader({
      limits: gateway.limits,
      workers: gateway.workers,
      memory: this.#memory,
      signal: this.#gone,
      onMessage: (message, bytes) => this.#take(message, bytes),
      onRefused: (failure, lane) => this.#refuse(failure, lane),
    })
    this.#kept = new KeptResponses(new Holding(gateway.memory, share), gateway.limits.socketHistoryBytes)
    this.#onClosed = onClosed
  }

  opened(socket: MessageSocket): void {
    const { clock, limits } = this.#gateway
    this.#socket = socket
    this.#liveness = new Liveness({
      clock,
      stallMs: limits.clientStallMs,
      ageMs: limits.socketMs,
      ping: () => socket.ping(),
      unread: () => this.#unread,
      onDead: () => socket.cut(),
      onOld: () => this.retire(tooOld(limits.socketMs)),
    })
    if (this.#gateway.draining()) this.retire(shuttingDown())
  }

  /** Takes no more requests, and closes when those under way have ended. */
  retire(reason: GatewayError): void {
    if (this.#retired !== undefined || this.#isClosed) return
    this.#retired = reason
    for (const [name, { waiting }] of this.#lanes) {
      for (const { bytes } of waiting.splice(0)) {
        this.#waiting--
        this.#memory.give(bytes)
        this.#refuse(reason, name)
      }
    }
    if (this.#lanes.size === 0) this.#leave()
  }

  cut(): void {
    this.#socket?.cut()
  }

  received(bytes: number): void {
    this.#liveness?.heard()
    if (this.#isLeaving) return
    try {
      this.#memory.take(bytes, 'request')
      this.#arriving += bytes
    } catch {
      // Of a message that is not complete, nobody can be told more.
      this.#close(1013, 'There is no memory left for this message. Try again later.')
    }
  }

  message(data: Uint8Array, isBinary: boolean): void {
    this.#memory.give(this.#arriving)
    this.#arriving = 0
    if (this.#isLeaving) return
    if (isBinary) {
      this.#close(1003, 'Messages must be text.')
      return
    }
    try {
      this.#reader.take(data)
    } catch (error) {
      this.#refuse(asGatewayError(error), undefined)
    }
  }

  closed(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#isLeaving = true
    this.#gone.abort()
    this.#liveness?.stop()
    this.#cancelCut()
    for (const { waiting, running } of this.#lanes.values()) {
      waiting.length = 0
      running.abort()
    }
    this.#kept.close()
    this.#memory.release()
    this.#onClosed(this)
  }

  #take(message: ClientMessage, bytes: number): void {
    if (this.#isLeaving) return
    switch (message.type) {
      case 'response.create':
        this.#create(message, bytes)
        break
      case 'response.interrupt':
        this.#interrupt(message)
        break
      case 'response.steer':
      case 'response.inject':
        this.#refuseInput(message)
        break
      default:
        throw unknownType(message.type)
    }
  }

  #create(message: ClientMessage, bytes: number): void {
    if (this.#retired !== undefined) throw this.#retired
    if (message.isBackground) throw noBackground()
    const { socketLanes, socketQueue } = this.#gateway.limits
    const lane = this.#lanes.get(message.lane)
    if (lane === undefined && this.#lanes.size >= socketLanes) throw tooMany(`${socketLanes} lanes in use`)
    if (lane !== undefined && this.#waiting >= socketQueue) throw tooMany(`${socketQueue} messages waiting`)
    this.#memory.take(bytes, 'request')
    if (lane === undefined) {
      this.#run({ message, bytes }, [])
      return
    }
    this.#waiting++
    lane.waiting.push({ message, bytes })
  }

  #run({ message, bytes }: Waiting, waiting: Waiting[]): void {
    const running = new Abort()
    const { lane, responseId } = message
    const { frames } = this.#wire.conversation
    const socket = this.#socket
    if (socket === undefined || this.#isClosed) return
    if (this.#lanes.size === 0) socket.setBusy(true)
    const begun: Lane = { waiting, running, responseId: undefined, isInterrupted: false }
    this.#lanes.set(lane, begun)
    const sink = new LaneSink({
      socket: {
        send: (text, onSent) => this.#send(text, onSent),
        ping: () => socket.ping(),
        cut: () => socket.cut(),
      },
      lane,
      reader: frames.createReader(this.#gateway.limits.eventLength),
      onBegun: id => {
        begun.responseId = id
      },
      onFailed: () => {
        begun.isInterrupted = false
        if (responseId !== undefined) this.#kept.forget(responseId)
      },
      onInterrupted: () => {
        begun.isInterrupted = false
      },
    })
    let isHeld = true
    const letGo = (): void => {
      if (isHeld && !this.#isClosed) this.#memory.give(bytes)
      isHeld = false
    }
    const request: GatewayRequest = {
      method: 'POST',
      ...this.#request,
      signal: running,
      ownsBody: true,
      kept: this.#kept,
      ...(lane !== undefined && { lane: `${this.#id}/${lane}` }),
      isWarmUp: !message.generates,
      body: async (_, reserve) => {
        const body = message.body()
        letGo()
        reserve(body.length)
        return body
      },
    }
    void this.#handle(request, sink).then(() => {
      letGo()
      if (begun.isInterrupted) this.#refuseInterrupt(begun.responseId, lane)
      this.#next(lane, waiting)
    })
  }

  #next(lane: string | undefined, waiting: Waiting[]): void {
    const next = waiting.shift()
    if (next !== undefined && !this.#isClosed) {
      this.#waiting--
      this.#run(next, waiting)
      return
    }
    this.#lanes.delete(lane)
    if (this.#lanes.size > 0 || this.#isClosed) return
    this.#socket?.setBusy(false)
    if (this.#retired !== undefined) this.#leave()
  }

  #interrupt({ lane, responseId }: ClientMessage): void {
    const found = this.#lanes.get(lane)
    // One that comes late must not end what runs by now.
    const isAnother = responseId !== undefined && responseId !== found?.responseId
    if (found === undefined || isAnother) {
      this.#refuseInterrupt(responseId, lane)
      return
    }
    found.isInterrupted = true
    found.running.abort(interrupted())
  }

  /** Not as an error, which clients take for the end of whatever response they wait for. */
  #refuseInterrupt(response_id: string | undefined, lane: string | undefined): void {
    const failure = notActive(response_id)
    this.#send(
      controlFailed('response.interrupt.failed', failure, this.#wire, { response_id, stream_id: lane }),
    )
  }

  /** For a response that is being written. The client gets it back, and may send it later. */
  #refuseInput({ type, lane, body }: ClientMessage): void {
    const bytes = body()
    const isLong = bytes.length > this.#gateway.limits.inlineBytes
    const message: unknown = isLong ? {} : parseJson(bytes.toString())
    if (!isObject(message)) throw notAMessage()
    const { input, previous_response_id, response_id } = message
    const isSteer = type === 'response.steer'
    const given = isSteer ? { steer: { input, previous_response_id } } : { input, response_id }
    const failure = isSteer ? noSteering() : noInjecting()
    this.#send(controlFailed(`${type}.failed`, failure, this.#wire, { ...given, stream_id: lane }))
  }

  #refuse(failure: GatewayError, lane: string | undefined): void {
    this.#send(refusalMessage(failure, this.#wire, lane))
  }

  /** A client that does not read what it is told is not listened to. */
  #send(text: string, onSent?: (length: number) => void): void {
    const socket = this.#socket
    if (socket === undefined || this.#isClosed) {
      onSent?.(text.length)
      return
    }
    this.#unread += text.length
    if (this.#unread > mostUnread) socket.pause()
    socket.send(text, length => {
      const wasOver = this.#unread > mostUnread
      this.#unread -= length
      if (wasOver && this.#unread <= mostUnread) socket.resume()
      onSent?.(length)
    })
  }

  /** Everything that was under way has ended. */
  #leave(): void {
    const reason = this.#retired
    if (reason?.code === limitCode) this.#refuse(reason, undefined)
    this.#close(1001, reason?.message ?? '')
  }

  #close(code: number, reason: string): void {
    if (this.#isLeaving) return
    this.#isLeaving = true
    this.#socket?.close(code, reason)
    // One that does not close in turn is cut.
    this.#cancelCut = this.#gateway.clock.after(closeMs, () => this.#socket?.cut())
  }
}

const closeMs = 2_000

/** Those of the handshake, without what was about the socket itself. */
function requestHeaders(headers: GatewayRequest['headers']): GatewayRequest['headers'] {
  const kept = Object.entries(headers).filter(
    ([name, value = '']) =>
      !/^(?:connection|upgrade|sec-websocket-.*|content-.*)$/.test(name) &&
      !(name === 'openai-beta' && value.startsWith('responses_websockets')),
  )
  return { ...Object.fromEntries(kept), 'content-type': 'application/json' }
}
