/** The calls of a streamed message, put together from their pieces. */
import type { Draft, JsonObject } from '../../../json/object.ts'
import { assignOwn, isObject, own, setOwn } from '../../../json/object.ts'
import type { CallPart, Part } from '../../../model/conversation.ts'
import type { Path, Report } from '../../../model/diagnostic.ts'
import { inputText } from '../../kit/json-text.ts'
import { decodeFunctionCallField, decodeToolCall } from '../calls.ts'
import { ArgumentBuffer, isCompleteJson } from './argument-buffer.ts'
import type { CallPiece, RoutedCall } from './call-routing.ts'
import { CallRouter } from './call-routing.ts'
import type { PartTracker } from './part-tracker.ts'
import type { StreamText } from './text.ts'

type Form = CallPart['form']

/** A call whose pieces are being collected. Id, name and form are fixed when its part starts. */
interface OpenCall extends RoutedCall {
  readonly path: Path
  readonly input: ArgumentBuffer
  /** Unknown fields beside `function`, and inside it. */
  readonly outer: Record<string, unknown>
  readonly inner: Record<string, unknown>
  name: string | undefined
  id: string | undefined
  form: Form
  /** The index of its part, once that has started. */
  index: number | undefined
  /** It got a piece after a later call had begun, so it may be incomplete although it is not the last. */
  isResumed: boolean
}

export class StreamCalls {
  /** Where the message is. */
  readonly #path: Path
  readonly #parts: PartTracker
  /** Closed before a call starts. */
  readonly #text: StreamText
  readonly #report: Report
  readonly #calls: OpenCall[] = []
  readonly #router = new CallRouter<OpenCall>()
  /** The call of the deprecated field `function_call`. */
  #functionCall: OpenCall | undefined

  constructor(path: Path, parts: PartTracker, text: StreamText, report: Report) {
    this.#path = path
    this.#parts = parts
    this.#text = text
    this.#report = report
  }

  /** Returns `false` when it is unclear which call a piece belongs to. */
  read(list: readonly unknown[]): boolean {
    return list.every((value, i) => {
      return !isObject(value) || this.#readPiece(value, list.length > 1 ? i : undefined)
    })
  }

  /** The same for a piece that has only arguments, and perhaps an index. */
  readArguments(index: number | undefined, input: string, escaped: string | undefined): boolean {
    const call = this.#route(index === undefined ? { input } : { input, index })
    if (typeof call === 'boolean') return call
    this.#addInput(call, input, escaped)
    return true
  }

  readFunctionCall(value: JsonObject): void {
    this.#functionCall ??= this.#open([...this.#path, 'function_call'])
    const call = this.#functionCall
    if (call.index === undefined) call.name = joinedName(call.name, textOf(value, 'name'))
    addUnknown(call.inner, value, innerKeys)
    this.#addInput(call, inputOf(value, 'arguments'))
  }

  /** Whether every call has a name and arguments that it can be run with. */
  areComplete(): boolean {
    return this.#calls.every(isComplete)
  }

  /** The parts that were being written last: the last call, and incomplete ones written beside it. */
  unfinished(): ReadonlySet<number> {
    const last = this.#calls.at(-1)
    const open = this.#calls.filter(call => call === last || (call.isResumed && !isComplete(call)))
    return new Set(open.flatMap(({ index }) => index ?? []))
  }

  /** Emits what was held back, and the calls whose name never came. */
  flush(): void {
    this.#startWaiting()
    for (const call of this.#calls) {
      const held = call.input.flush()
      if (call.index !== undefined) {
        if (held !== '') this.#parts.delta(call.index, held)
        continue
      }
      const part = decodeToolCall(assemble(call, call.input.joined()), call.path, this.#report)
      this.#text.close()
      call.index = this.#parts.start(part, () => part)
    }
  }

  #readPiece(value: JsonObject, position: number | undefined): boolean {
    const form = formOf(value)
    const nested = own(value, form)
    const holder = isObject(nested) ? nested : value
    const piece = readFields(value, holder, form, position)
    const call = this.#route(piece)
    if (typeof call === 'boolean') return call
    if (call.index === undefined) {
      call.id ??= piece.id
      call.name = joinedName(call.name, piece.name)
      if (form === 'custom') {
        call.form = form
        call.input.isFreeText = true
      }
    }
    addUnknown(call.outer, value, outerKeys)
    if (holder !== value) addUnknown(call.inner, holder, innerKeys)
    this.#addInput(call, piece.input)
    return true
  }

  /** The call that the piece belongs to. Where there is none: whether the piece can be skipped. */
  #route(piece: CallPiece): OpenCall | boolean {
    const isEmpty = piece.id === undefined && piece.name === undefined && piece.input === ''
    const found = this.#router.find(piece)
    if (found === 'unclear') return isEmpty
    if (found === 'new' && isEmpty) return true
    const call = found === 'new' ? this.#open([...this.#path, 'tool_calls', this.#calls.length]) : found
    this.#router.bind(piece, call)
    return call
  }

  #open(path: Path): OpenCall {
    this.#startWaiting()
    const call: OpenCall = {
      path,
      input: new ArgumentBuffer(),
      ids: new Set(),
      outer: {},
      inner: {},
      name: undefined,
      id: undefined,
      form: 'function',
      index: undefined,
      isResumed: false,
    }
    this.#calls.push(call)
    return call
  }

  #addInput(call: OpenCall, input: string, escaped?: string | undefined): void {
    const text = call.input.add(input)
    if (call.index !== undefined) {
      if (text === '') return
      call.isResumed ||= this.#calls.at(-1) !== call
      this.#parts.delta(call.index, text, text === input ? escaped : undefined)
    } else if (call.name !== undefined && !call.input.isEmpty) this.#start(call, call.name)
  }

  /** Names may come in pieces, so a call waits for its arguments, for the next call, or for the end. */
  #startWaiting(): void {
    const last = this.#calls.at(-1)
    if (last?.index === undefined && last?.name !== undefined) this.#start(last, last.name)
  }

  #start(call: OpenCall, name: string): void {
    const { form, id, path } = call
    const part: Draft<CallPart> = { kind: 'call', form, name, input: '', path }
    if (id !== undefined) part.id = id
    this.#text.close()
    call.index = this.#parts.start(part, () => this.#complete(call))
    if (!call.input.isEmpty) this.#parts.delta(call.index, call.input.joined())
  }

  #complete(call: OpenCall): Part {
    const input = call.input.joined()
    if (call === this.#functionCall) {
      const field = { ...call.inner, name: call.name, arguments: input }
      const part = decodeFunctionCallField(field, call.path)
      if (part !== undefined) return part
    }
    return decodeToolCall(assemble(call, input), call.path, this.#report)
  }
}

/** A name in pieces. Some servers repeat the whole name instead, or what they have of it so far. */
function joinedName(before: string | undefined, piece: string | undefined): string | undefined {
  return before === undefined || piece === undefined || piece.startsWith(before)
    ? (piece ?? before)
    : before + piece
}

function isComplete({ name, form, input }: OpenCall): boolean {
  return name !== undefined && (form === 'custom' || isCompleteJson(input.joined()))
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

/** Keeps fields that this wire does not define, such as the signature of the reasoning that led to a call. */
function addUnknown(target: Record<string, unknown>, source: JsonObject, known: ReadonlySet<string>): void {
  for (const key of Object.keys(source)) {
    const value = source[key]
    if (!known.has(key) && value !== null && value !== undefined) setOwn(target, key, value)
  }
}

/** The call as the unstreamed answer would hold it. */
function assemble({ id, name, form, outer, inner }: OpenCall, input: string): JsonObject {
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
  const id = textOf(value, 'id')
  const name = textOf(holder, 'name')
  // Several pieces in one chunk without index and id are told apart by their position in the list.
  const index = typeof given === 'number' ? given : id === undefined ? position : undefined
  const piece: Draft<CallPiece> = { input: inputOf(holder, form === 'custom' ? 'input' : 'arguments') }
  if (index !== undefined) piece.index = index
  if (id !== undefined) piece.id = id
  if (name !== undefined) piece.name = name
  return piece
}

export function textOf(holder: JsonObject, key: string): string | undefined {
  const value = own(holder, key)
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** Some servers send the arguments as an object, complete in one piece. */
function inputOf(holder: JsonObject, key: string): string {
  return inputText(own(holder, key)) ?? ''
}
