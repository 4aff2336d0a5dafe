/**
 * The blocks of a stream as parts. Blocks come one after the other, told apart by an index; servers that lose count,
 * leave out a start or a stop, or say something twice are understood as far as it can be done without guessing.
 */

import type { JsonObject } from '../../../json/object.ts'
import { omit, own } from '../../../json/object.ts'
import type { CallPart } from '../../../model/conversation.ts'
import type { Report } from '../../../model/diagnostic.ts'
import type { StreamEvent } from '../../../model/stream-event.ts'
import { textDelta } from '../../../model/stream-event.ts'
import type { EscapedSource } from '../../fast-path/repeated-delta.ts'
import { parseObject } from '../../kit/json-text.ts'
import type { OpenBlock } from './block.ts'
import {
  addMore,
  addPiece,
  hasUnwritableInput,
  hasWholeInput,
  idOf,
  inputOf,
  isRepeatedInput,
  isRepeatedStart,
  nameOf,
  openBlock,
  saidOf,
  startOf,
  wholeOf,
} from './block.ts'

/** Without an index, a block is the last one that makes sense. */
type Index = number | undefined

export interface StreamParts {
  startBlock(index: Index, block: JsonObject): void
  readDelta(index: Index, delta: JsonObject): void
  /** More of a text. */
  say(index: Index, type: 'text' | 'thinking', text: unknown): void
  /** More of the arguments. */
  writeInput(index: Index, text: unknown): void
  endBlock(index: Index): void
  /** A block that came in one piece. */
  addWhole(block: JsonObject): void
  hasParts(): boolean
  hasCalls(): boolean
  /** None of the arguments breaks off, so far as is known. */
  isWhole(): boolean
  /** Ends what is open. An answer that was cut short was cut in its last part, a failed one in all that were open. */
  endAll(how: 'done' | 'cut' | 'failed'): void
}

type Fits = (block: OpenBlock) => boolean

const isText: Fits = ({ type }) => type === 'text'
const isThinking: Fits = ({ type }) => type === 'thinking'
const takesInput: Fits = ({ type }) => type !== 'text' && type !== 'thinking' && type !== 'redacted_thinking'

export function createStreamParts(
  emit: (event: StreamEvent) => void,
  spelling: EscapedSource,
  report: Report,
): StreamParts {
  const open = new Map<number, OpenBlock>()
  /** By id, what was called: a call that comes a second time word for word is the same call. */
  const called = new Map<string, string>()
  /** A call whose block has stopped. Whether it was cut short shows only in what comes next. */
  let held: { readonly index: number; readonly part: CallPart } | undefined
  let parts = 0
  let calls = false
  /** Keys for blocks without an index of their own. */
  let spare = 0

  function release(cut = false): void {
    if (held === undefined) return
    const { index, part } = held
    held = undefined
    emit({ type: 'part-end', index, part: cut ? { ...part, status: 'incomplete' } : part })
  }

  function startPart(block: OpenBlock): number {
    release()
    const index = parts++
    block.part = index
    const part = startOf(block, ['content', index])
    if (part.kind === 'call') calls = true
    emit({ type: 'part-start', index, part })
    const text = saidOf(block)
    if (text !== '' && isStreamed(block) && part.kind !== 'opaque') emit(textDelta(index, text))
    return index
  }

  /** A call waits for its name, and one whose id was there before waits to be compared with the first. */
  function startIfReady(block: OpenBlock): void {
    if (block.part !== undefined) return
    if (block.type !== 'tool_use' || (nameOf(block) !== '' && !called.has(idOf(block)))) startPart(block)
  }

  function endBlock(key: number, block: OpenBlock, cut = false): void {
    open.delete(key)
    const isCall = block.type === 'tool_use'
    const id = idOf(block)
    if (block.part === undefined && isCall && id !== '' && called.get(id) === wordingOf(block)) return
    const index = block.part ?? startPart(block)
    const missed = isCall && !cut && saidOf(block).trim() === ''
    const part = wholeOf(block, ['content', index])
    if (part.kind !== 'call') {
      emit({ type: 'part-end', index, part })
      return
    }
    if (id !== '') called.set(id, wordingOf(block))
    const isLost = missed && hasUnwritableInput(block)
    if (isLost) {
      report(
        'field_dropped',
        [...part.path, 'input'],
        'The arguments are nested too deep to be written; the call was left without them, as incomplete.',
      )
    } else if (missed) emit(textDelta(index, part.input))
    if (cut || isLost) {
      const input = saidOf(block)
      emit({ type: 'part-end', index, part: { ...part, input, status: 'incomplete' } })
    } else if (index === parts - 1) held = { index, part }
    else emit({ type: 'part-end', index, part })
  }

  function startBlock(key: number, block: JsonObject): OpenBlock {
    const before = open.get(key)
    if (before !== undefined && isRepeatedStart(before, block)) {
      if (before.part === undefined) before.block = { ...before.block, ...block }
      startIfReady(before)
      return before
    }
    if (before !== undefined) endBlock(key, before)
    const opened = openBlock(block)
    open.set(key, opened)
    startIfReady(opened)
    return opened
  }

  /** The block a delta belongs to: the one it names, or the only sensible one. */
  function find(index: Index, fits: Fits): OpenBlock | undefined {
    const named = index === undefined ? undefined : open.get(index)
    if (named !== undefined && fits(named)) return named
    const fitting = [...open.values()].filter(fits)
    if (index !== undefined && named === undefined && fitting.length !== 1) return undefined
    return fitting.at(-1)
  }

  /** A block that nobody announced. */
  function startUnsaid(index: Index, type: 'text' | 'thinking'): OpenBlock {
    const empty = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' }
    return startBlock(index === undefined || open.has(index) ? --spare : index, empty)
  }

  /** Saying nothing opens a block too, should there be none. */
  function say(index: Index, type: 'text' | 'thinking', text: unknown): void {
    if (typeof text !== 'string') return
    // An index that was never started is a start left out, even while another block of the kind is open.
    const isNew = index !== undefined && !open.has(index)
    const found = isNew ? undefined : find(index, type === 'text' ? isText : isThinking)
    const block = found ?? startUnsaid(index, type)
    if (text === '') return
    addPiece(block, text)
    tell(block, text)
  }

  function writeInput(index: Index, text: unknown): void {
    if (typeof text !== 'string' || text === '') return
    const block = find(index, takesInput)
    if (block === undefined) {
      report(
        'part_dropped',
        ['content', index ?? parts],
        'Arguments came without a call; they were left out.',
      )
      return
    }
    if (isRepeatedInput(block, text)) return
    addPiece(block, text)
    if (isStreamed(block)) tell(block, text)
  }

  function tell({ part }: OpenBlock, text: string): void {
    if (part !== undefined) emit(textDelta(part, text, spelling.escapedTextOf(text)))
  }

  function readDelta(index: Index, delta: JsonObject): void {
    switch (own(delta, 'type')) {
      case 'text_delta':
        say(index, 'text', own(delta, 'text'))
        break
      case 'thinking_delta':
        say(index, 'thinking', own(delta, 'thinking'))
        break
      case 'input_json_delta':
        writeInput(index, own(delta, 'partial_json'))
        break
      case 'signature_delta': {
        const signature = own(delta, 'signature')
        say(index, 'thinking', '')
        const block = find(index, isThinking)
        if (block !== undefined && typeof signature === 'string') block.signature = signature
        break
      }
      case 'citations_delta':
        say(index, 'text', '')
        find(index, isText)?.citations.push(own(delta, 'citation'))
        break
      default: {
        const block = find(index, () => true)
        if (block !== undefined) addMore(block, omit(delta, ['type']))
      }
    }
  }

  function isHeldWhole(): boolean {
    return held === undefined || parseObject(held.part.input) !== undefined
  }

  return {
    startBlock: (index, block) => void startBlock(index ?? --spare, block),
    readDelta,
    say,
    writeInput,
    endBlock(index) {
      const key = index ?? [...open.keys()].at(-1)
      const block = key === undefined ? undefined : open.get(key)
      if (key !== undefined && block !== undefined) endBlock(key, block)
    },
    addWhole(block) {
      const key = --spare
      endBlock(key, startBlock(key, block))
    },
    hasParts: () => parts > 0,
    hasCalls: () => calls,
    isWhole() {
      const isDone = (block: OpenBlock) => block.type !== 'tool_use' || hasWholeInput(block)
      return isHeldWhole() && [...open.values()].every(isDone)
    },
    endAll(how) {
      for (const [key, block] of [...open]) {
        endBlock(key, block, how === 'failed' || (how === 'cut' && !hasWholeInput(block)))
      }
      release(how === 'cut' || (how === 'failed' && !isHeldWhole()))
    },
  }
}

/** Whether what the deltas say can be passed on; of what the provider ran itself, only the whole is known elsewhere. */
function isStreamed({ type }: OpenBlock): boolean {
  return type === 'text' || type === 'thinking' || type === 'tool_use'
}

function wordingOf(block: OpenBlock): string {
  return `${nameOf(block)} ${inputOf(block)}`
}
