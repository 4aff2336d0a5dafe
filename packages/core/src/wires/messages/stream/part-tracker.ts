/**
 * Turns the blocks of a stream into parts. Blocks come one after the other and have an index. Servers that lose count,
 * leave out a start or a stop, or repeat themselves are understood as far as that needs no guessing.
 */
import type { JsonObject } from '../../../json/object.ts'
import { omit, own, ownString } from '../../../json/object.ts'
import type { CallPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { repeatingEnd, startEvent, textDelta } from '../../../model/stream-event.ts'
import { inputText, parseObject } from '../../kit/json-text.ts'
import type { Calls } from '../answer/finish.ts'
import { isLostCall } from '../answer/finish.ts'
import { OpenBlock } from './block.ts'

/** Without an index, an event is about the last block that it can be about. */
type Index = number | undefined

type TextType = 'text' | 'thinking'

type Accepts = (block: OpenBlock) => boolean

const acceptsText: Accepts = ({ type }) => type === 'text'
const acceptsThinking: Accepts = ({ type }) => type === 'thinking'
const acceptsInput: Accepts = ({ type }) =>
  type !== 'text' && type !== 'thinking' && type !== 'redacted_thinking'

export class PartTracker {
  calls: Calls = 'none'
  #events: StreamEvent[] = []
  #isStarted = false
  readonly #report: Report
  readonly #open = new Map<number, OpenBlock>()
  /** Name and arguments of each call by its id: a call that is repeated word for word is the same call. */
  readonly #called = new Map<string, string>()
  /** The last call, when its block has stopped. Whether it was cut short is known only when something follows. */
  #pending: { readonly index: number; readonly part: CallPart } | undefined
  #partCount = 0
  /** The last key for a block without an index of its own. */
  #spareKey = 0

  constructor(report: Report) {
    this.#report = report
  }

  get hasParts(): boolean {
    return this.#partCount > 0
  }

  /** Starts the answer, and returns whether it had not been started before. */
  startAnswer(message: JsonObject = {}): boolean {
    if (this.#isStarted) return false
    this.#isStarted = true
    this.#events.push(startEvent(ownString(message, 'id'), ownString(message, 'model')))
    return true
  }

  emit(event: StreamEvent): void {
    this.startAnswer()
    this.#events.push(event)
  }

  /** The events since the last call. */
  takeEvents(): StreamEvent[] {
    const events = this.#events
    this.#events = []
    return events
  }

  startBlock(index: Index, block: JsonObject): void {
    this.#start(index ?? --this.#spareKey, block)
  }

  readDelta(index: Index, delta: JsonObject): void {
    switch (own(delta, 'type')) {
      case 'text_delta':
        this.append(index, 'text', own(delta, 'text'))
        break
      case 'thinking_delta':
        this.append(index, 'thinking', own(delta, 'thinking'))
        break
      case 'input_json_delta':
        this.appendInput(index, own(delta, 'partial_json'))
        break
      case 'signature_delta': {
        const signature = own(delta, 'signature')
        this.append(index, 'thinking', '')
        const block = this.#find(index, acceptsThinking)
        if (block !== undefined && typeof signature === 'string') block.signature = signature
        break
      }
      case 'citations_delta':
        this.append(index, 'text', '')
        this.#find(index, acceptsText)?.citations.push(own(delta, 'citation'))
        break
      default:
        this.#find(index, () => true)?.addUnknown(omit(delta, ['type']))
    }
  }

  /** An empty piece starts a block too, if there is none. */
  append(index: Index, type: TextType, text: unknown, escaped?: string | undefined): void {
    if (typeof text !== 'string') return
    // An index that was never started means that the start is missing, even if another block of the type is open.
    const isNew = index !== undefined && !this.#open.has(index)
    const found = isNew ? undefined : this.#find(index, type === 'text' ? acceptsText : acceptsThinking)
    const block = found ?? this.#startUnannounced(index, type)
    if (text === '') return
    block.append(text)
    this.#emitDelta(block, text, escaped)
  }

  /** Some servers send the arguments as an object, complete in one piece. */
  appendInput(index: Index, piece: unknown, escaped?: string | undefined): void {
    const text = inputText(piece) ?? ''
    if (text === '') return
    const block = this.#find(index, acceptsInput)
    if (block === undefined) {
      this.calls = 'lost'
      const message = 'Arguments came without a call; they were left out.'
      this.#report('part_dropped', ['content', index ?? this.#partCount], message)
      return
    }
    if (block.isRepeatedInput(text)) return
    block.append(text)
    if (block.isStreamed) this.#emitDelta(block, text, escaped)
  }

  endBlock(index: Index): void {
    const key = index ?? [...this.#open.keys()].at(-1)
    const block = key === undefined ? undefined : this.#open.get(key)
    if (key !== undefined && block !== undefined) this.#end(key, block)
  }

  /** A block that arrives in one piece. */
  addBlock(block: JsonObject): void {
    const key = --this.#spareKey
    this.#end(key, this.#start(key, block))
  }

  /** Whether the arguments of all calls are complete, as far as can be known. */
  isComplete(): boolean {
    const isDone = (block: OpenBlock): boolean => block.type !== 'tool_use' || block.hasCompleteInput()
    return this.#isPendingComplete() && [...this.#open.values()].every(isDone)
  }

  /** Ends what is open. An answer that was cut short was cut in its last part; a failed one in all open parts. */
  endAll(how: 'done' | 'cut' | 'failed'): void {
    for (const [key, block] of [...this.#open]) {
      this.#end(key, block, how === 'failed' || (how === 'cut' && !block.hasCompleteInput()))
    }
    this.#endPending(how === 'cut' || (how === 'failed' && !this.#isPendingComplete()))
  }

  #start(key: number, start: JsonObject): OpenBlock {
    const before = this.#open.get(key)
    if (before?.isRepeatedStart(start)) {
      if (before.part === undefined) before.addStart(start)
      this.#startPartIfReady(before)
      return before
    }
    if (before !== undefined) this.#end(key, before)
    const block = new OpenBlock(start)
    this.#open.set(key, block)
    this.#startPartIfReady(block)
    return block
  }

  #startUnannounced(index: Index, type: TextType): OpenBlock {
    const empty = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' }
    return this.#start(index === undefined || this.#open.has(index) ? --this.#spareKey : index, empty)
  }

  /** A call waits for its name; one whose id was used before waits until it can be compared with the first. */
  #startPartIfReady(block: OpenBlock): void {
    if (block.part !== undefined) return
    const isReady = block.type !== 'tool_use' || (block.name !== '' && !this.#called.has(block.id))
    if (isReady) this.#startPart(block)
  }

  #startPart(block: OpenBlock): number {
    this.#endPending(false)
    const index = this.#partCount++
    block.part = index
    const part = block.emptyPart(['content', index])
    if (isLostCall(part)) this.calls = 'lost'
    else if (part.kind === 'call' && this.calls === 'none') this.calls = 'some'
    this.emit({ type: 'part-start', index, part })
    const text = block.text()
    if (text !== '' && block.isStreamed && part.kind !== 'opaque') this.emit(textDelta(index, text))
    return index
  }

  /** The block an event is about: the one with its index, or the only one that it can be about. */
  #find(index: Index, accepts: Accepts): OpenBlock | undefined {
    const named = index === undefined ? undefined : this.#open.get(index)
    if (named !== undefined && accepts(named)) return named
    const candidates = [...this.#open.values()].filter(accepts)
    if (index !== undefined && named === undefined && candidates.length !== 1) return undefined
    return candidates.at(-1)
  }

  #emitDelta({ part }: OpenBlock, text: string, escaped: string | undefined): void {
    if (part !== undefined) this.emit(textDelta(part, text, escaped))
  }

  #end(key: number, block: OpenBlock, isCut = false): void {
    this.#open.delete(key)
    if (block.part === undefined && this.#isRepeatedCall(block)) return
    const index = block.part ?? this.#startPart(block)
    const part = block.completePart(['content', index])
    if (part.kind === 'call') this.#endCall(block, index, part, isCut)
    else this.emit(repeatingEnd(index, part, block.length))
  }

  #isRepeatedCall(block: OpenBlock): boolean {
    return block.type === 'tool_use' && block.id !== '' && this.#called.get(block.id) === wordingOf(block)
  }

  #endCall(block: OpenBlock, index: number, part: CallPart, isCut: boolean): void {
    if (block.id !== '') this.#called.set(block.id, wordingOf(block))
    // The arguments came with the start of the block and not in deltas.
    const isUnsent = block.type === 'tool_use' && !isCut && block.text().trim() === ''
    const isLost = isUnsent && block.input() === ''
    if (isLost) {
      const message =
        'The arguments are nested too deep to be written; the call was left without them, as incomplete.'
      this.#report('field_dropped', [...part.path, 'input'], message)
    } else if (isUnsent) this.emit(textDelta(index, part.input))
    if (isCut || isLost) {
      this.emit({ type: 'part-end', index, part: { ...part, input: block.text(), status: 'incomplete' } })
    } else if (index === this.#partCount - 1) this.#pending = { index, part }
    else this.emit({ type: 'part-end', index, part })
  }

  #endPending(isCut: boolean): void {
    if (this.#pending === undefined) return
    const { index, part } = this.#pending
    this.#pending = undefined
    this.emit({ type: 'part-end', index, part: isCut ? { ...part, status: 'incomplete' } : part })
  }

  #isPendingComplete(): boolean {
    return this.#pending === undefined || parseObject(this.#pending.part.input) !== undefined
  }
}

function wordingOf(block: OpenBlock): string {
  return `${block.name} ${block.input()}`
}
