/** The calls of a streamed message, put together from their pieces. */

import type { Draft, JsonObject } from '../../../json/object.ts'
import { assignOwn, isObject, own, setOwn } from '../../../json/object.ts'
import type { CallPart, Part } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { jsonText } from '../../kit/json-text.ts'
import { decodeFunctionCallField, decodeToolCall } from '../calls.ts'
import type { ArgumentLog } from './argument-buffer.ts'
import { createArgumentLog, isWholeJson } from './argument-buffer.ts'
import type { CallPiece, RoutedCall } from './call-routing.ts'
import { createCallRouter } from './call-routing.ts'
import type { PartSequence } from './part-tracker.ts'

type Form = CallPart['form']

interface OpenCall extends RoutedCall {
  readonly path: Path
  readonly log: ArgumentLog
  readonly outer: Record<string, unknown>
  readonly inner: Record<string, unknown>
  name: string | undefined
  /** Fixed when the call starts: what comes later is for telling the pieces apart only. */
  id: string | undefined
  form: Form
  index: number | undefined
  /** It went on after a later call had begun, so being earlier does not mean that it is whole. */
  isResumed: boolean
}

export interface StreamCalls {
  /** `false` when the pieces cannot be told apart. */
  read(list: readonly unknown[]): boolean
  /** The same for a piece that has no more than arguments, and perhaps an index. */
  readArguments(index: number | undefined, input: string): boolean
  readFunctionCall(value: JsonObject): void
  /** Whether every call has a name and arguments that can be run. */
  areWhole(): boolean
  /** The indexes of the parts that were being written last: the last call, and those written beside it. */
  unfinished(): ReadonlySet<number>
  /** Gives away what was held back, also of calls whose name never came. */
  flush(): void
}

export interface StreamCallsOptions {
  /** Where the message stands. */
  readonly message: Path
  readonly sequence: PartSequence
  /** Told before a call begins. */
  readonly beforeStart: () => void
}

export function createStreamCalls(options: StreamCallsOptions, report: Report): StreamCalls {
  const { message, sequence, beforeStart } = options
  const calls: OpenCall[] = []
  const router = createCallRouter<OpenCall>()
  let single: OpenCall | undefined

  const open = (path: Path): OpenCall => {
    const call: OpenCall = {
      path,
      log: createArgumentLog(() => call.form === 'custom'),
      ids: new Set(),
      outer: {},
      inner: {},
      name: undefined,
      id: undefined,
      form: 'function',
      index: undefined,
      isResumed: false,
    }
    calls.push(call)
    return call
  }

  const whole = (call: OpenCall): Part => {
    const input = call.log.joined()
    if (call === single) {
      const field = { ...call.inner, name: call.name, arguments: input }
      const part = decodeFunctionCallField(field, call.path)
      if (part !== undefined) return part
    }
    return decodeToolCall(assembled(call, input), call.path, report)
  }

  const hear = (call: OpenCall, input: string): void => {
    const said = call.log.add(input)
    if (call.index !== undefined) {
      if (said === '') return
      call.isResumed ||= calls.at(-1) !== call
      sequence.delta(call.index, said)
    } else if (call.name !== undefined) {
      const { form, id, name, path } = call
      const start: Draft<CallPart> = { kind: 'call', form, name, input: '', path }
      if (id !== undefined) start.id = id
      beforeStart()
      call.index = sequence.start(start, () => whole(call))
      if (!call.log.isEmpty) sequence.delta(call.index, call.log.joined())
    }
  }

  /** The call that the piece belongs to; for a piece of none, whether it can be passed over. */
  const route = (piece: CallPiece): OpenCall | boolean => {
    const saysNothing = piece.id === undefined && piece.name === undefined && piece.input === ''
    const found = router.find(piece)
    if (found === 'unclear') return saysNothing
    if (found === 'new' && saysNothing) return true
    const call = found === 'new' ? open([...message, 'tool_calls', calls.length]) : found
    router.bind(piece, call)
    return call
  }

  const readPiece = (value: JsonObject, position: number | undefined): boolean => {
    const form = formOf(value)
    const nested = own(value, form)
    const holder = isObject(nested) ? nested : value
    const piece = readFields(value, holder, form, position)
    const call = route(piece)
    if (typeof call === 'boolean') return call
    if (call.index === undefined) {
      call.id ??= piece.id
      call.name ??= piece.name
      if (form === 'custom') call.form = form
    }
    gather(call.outer, value, outerKeys)
    if (holder !== value) gather(call.inner, holder, innerKeys)
    hear(call, piece.input)
    return true
  }

  return {
    read(list) {
      return list.every((value, i) => {
        return !isObject(value) || readPiece(value, list.length > 1 ? i : undefined)
      })
    },
    readArguments(index, input) {
      const call = route(index === undefined ? { input } : { input, index })
      if (typeof call === 'boolean') return call
      hear(call, input)
      return true
    },
    readFunctionCall(value) {
      single ??= open([...message, 'function_call'])
      single.name ??= textOf(value, 'name')
      gather(single.inner, value, innerKeys)
      hear(single, inputOf(value, 'arguments'))
    },
    areWhole: () => calls.every(isWhole),
    unfinished() {
      const open = calls.filter(call => {
        return call === calls.at(-1) || (call.isResumed && !isWhole(call))
      })
      return new Set(open.flatMap(({ index }) => index ?? []))
    },
    flush() {
      for (const call of calls) {
        const held = call.log.flush()
        if (call.index !== undefined) {
          if (held !== '') sequence.delta(call.index, held)
          continue
        }
        // A call of nothing: kept as it came, which is all that can be done for it.
        const part = decodeToolCall(assembled(call, call.log.joined()), call.path, report)
        beforeStart()
        call.index = sequence.start(part, () => part)
      }
    },
  }
}

function isWhole({ name, form, log }: OpenCall): boolean {
  return name !== undefined && (form === 'custom' || isWholeJson(log.joined()))
}

const outerKeys: ReadonlySet<string> = new Set([
  'index',
  'id',
  'type',
  'function',
  'custom',
  'name',
  'arguments',
  'input',
])
const innerKeys: ReadonlySet<string> = new Set(['name', 'arguments', 'input'])

/** What else stands beside a call, such as the signature of the thought that led to it. */
function gather(target: Record<string, unknown>, source: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(source)) {
    const value = source[key]
    if (!known.has(key) && value !== null && value !== undefined) setOwn(target, key, value)
  }
}

function assembled({ id, name, form, outer, inner }: OpenCall, input: string): JsonObject {
  const fields: Record<string, unknown> = {}
  if (name !== undefined) fields.name = name
  fields[form === 'custom' ? 'input' : 'arguments'] = input
  const call: Record<string, unknown> = {}
  if (id !== undefined) call.id = id
  call.type = form
  call[form] = assignOwn(fields, inner)
  return assignOwn(call, outer)
}

function formOf(value: JsonObject): Form {
  const type = own(value, 'type')
  if (type === 'custom' || type === 'function') return type
  return isObject(own(value, 'custom')) && !isObject(own(value, 'function')) ? 'custom' : 'function'
}

function readFields(
  value: JsonObject,
  holder: JsonObject,
  form: Form,
  position: number | undefined,
): CallPiece {
  const given = own(value, 'index')
  const index = typeof given === 'number' ? given : undefined
  const id = textOf(value, 'id')
  const name = textOf(holder, 'name')
  // Several at once that say neither index nor id are told apart by where they stand.
  const place = index ?? (id === undefined ? position : undefined)
  const input = inputOf(holder, form === 'custom' ? 'input' : 'arguments')
  const piece: Draft<CallPiece> = { input }
  if (place !== undefined) piece.index = place
  if (id !== undefined) piece.id = id
  if (name !== undefined) piece.name = name
  return piece
}

function textOf(holder: JsonObject, key: string): string | undefined {
  const value = own(holder, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Some servers give arguments as an object, and then whole. */
function inputOf(holder: JsonObject, key: string): string {
  const value = own(holder, key)
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : (jsonText(value) ?? '')
}
