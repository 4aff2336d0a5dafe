/** What was said, on whatever wire, streamed or not. Whatever a model wrote is only ever text here. */
import { Fragment, type JSX } from 'preact'
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Said } from '../../../toolwire/src/reading/said.ts'
import {
  type Block,
  blocksOf,
  type CallCard,
  clientTimes,
  earlierBlocks,
  endingOf,
  inOrder,
  prettyArguments,
  toldBefore,
} from '../logic/cards.ts'
import { isRequestCut } from '../logic/context.ts'
import { duration, plural, visible } from '../logic/format.ts'
import { chainOf } from '../logic/grouping.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { app } from '../state/app.ts'
import { usePrevious } from '../state/use-exchange.ts'
import { Icon } from './icon.tsx'
import { Text } from './text.tsx'

const names: { readonly [who in Said['who']]: string } = {
  system: 'Instructions',
  user: 'User',
  assistant: 'Assistant',
  thinking: 'Reasoning',
  call: 'Call',
  result: 'Result',
  refusal: 'Refusal',
  error: 'Error',
  other: 'Other',
}

const unreadNames: { readonly [view: string]: string } = {
  'client-request': 'request',
  'client-answer': 'answer',
}

/** Of a long history the last blocks are what one wants to see. */
const shownBlocks = 60
/** So many are added at a time: a history may have tens of thousands. */
const moreBlocks = 200

export function ConversationView({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { trace, reading } = document
  const { tools, missing, unread, answer, cutAnswer } = reading.conversation
  const previous = usePrevious(trace.summary)
  const [most, setMost] = useState(shownBlocks)
  const isRunning = trace.summary.state === 'running'
  const { blocks, earlier, cut } = useMemo(() => read(document, previous), [document, previous])
  const hidden = Math.max(0, blocks.length - most)
  const first = hidden > 0 ? blocks.slice(0, leading(blocks)) : []
  const ending = endingOf(trace.summary, unread.includes('client-answer') ? undefined : answer)
  const view = useFollowing(document, earlier, hidden > 0)
  return (
    <div ref={view} class="view conversation" tabIndex={-1} aria-busy={isRunning}>
      {tools.length > 0 && <Tools names={tools} />}
      {first.map((block, i) => (
        <BlockView key={`first ${i}`} block={block} />
      ))}
      {hidden > 0 && (
        <button type="button" class="more" onClick={() => setMost(most + moreBlocks)}>
          Show {plural(hidden - first.length, 'earlier block')}
        </button>
      )}
      {missing !== undefined && (
        <p class="quiet">
          What was said until <code>{visible(missing)}</code> is not here any more, or too long to be shown.
        </p>
      )}
      {blocks.slice(Math.max(hidden, first.length)).map((block, i) => {
        const at = Math.max(hidden, first.length) + i
        return (
          <Fragment key={at}>
            {at === earlier && <Divider text="New with this request" />}
            {at === cut && <Divider text={notKept} />}
            <BlockView block={block} />
          </Fragment>
        )
      })}
      {cut === blocks.length && <Divider text={notKept} />}
      {cutAnswer !== undefined && <Divider text="The rest of the answer was not kept" />}
      {isRunning && (
        <p class="writing" role="status">
          <i class="running-bar" /> still going on
        </p>
      )}
      {ending !== undefined && <p class="quiet">{ending}</p>}
      {unread.length > 0 && (
        <p class="quiet">
          The {unread.map(name => unreadNames[name] ?? name).join(' and the ')} cannot be read as a
          conversation, or would take too long; Raw has what was kept.
        </p>
      )}
      {blocks.length === 0 && unread.length === 0 && !isRunning && (
        <p class="empty">Nothing was kept of what was said.</p>
      )}
    </div>
  )
}

const notKept = 'What was said here until the answer was not kept'

/**
 * `earlier`: how many of the first blocks were said before this request; `undefined` where nothing was. `cut`: where the rest of
 * a history is missing.
 */
function read(
  { trace, reading }: ExchangeDocument,
  previous: ExchangeDocument | undefined,
): {
  readonly blocks: readonly Block[]
  readonly earlier: number | undefined
  readonly cut: number | undefined
} {
  const { before = [], history, answer } = reading.conversation
  const asked = inOrder(before, history)
  const times = clientTimes(asked, trace.tool_runs, chainOf(trace.summary, app.get().summaries))
  const blocks = blocksOf([...asked, ...answer], trace.tool_runs, times)
  const known = previous === undefined ? [] : wholeOf(previous)
  const earlier = earlierBlocks(blocks, new Set([...before, ...toldBefore(asked, known)]))
  const hasEarlier = earlier > leading(blocks) && earlier < blocks.length
  const isCut = isRequestCut(trace, (trace.summary.rounds ?? 1) > 1 ? 'upstream' : 'client')
  return {
    blocks,
    earlier: hasEarlier ? earlier : undefined,
    cut: isCut ? blocksOf(asked, []).length : undefined,
  }
}

function wholeOf({ reading: { conversation } }: ExchangeDocument): Said[] {
  const { before = [], history, answer } = conversation
  return [...inOrder(before, history), ...answer]
}

const margin = 16
/** So near to the end whoever reads follows what is written. */
const nearEnd = 48

/**
 * Shows what is new first, or the last question of a long conversation, and follows an answer as it grows, for whoever looks
 * at its end.
 */
function useFollowing(
  document: ExchangeDocument,
  earlier: number | undefined,
  isLong: boolean,
): { current: HTMLDivElement | null } {
  const view = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(false)
  const wasRunning = useRef(false)
  useLayoutEffect(() => {
    const box = view.current
    if (box === null) return
    const look = (): void => {
      isAtEnd.current = box.scrollTop + box.clientHeight >= box.scrollHeight - nearEnd
    }
    look()
    box.addEventListener('scroll', look)
    return () => box.removeEventListener('scroll', look)
  }, [])
  useLayoutEffect(() => {
    const box = view.current
    const words = isLong ? [...(box?.querySelectorAll('.block.user') ?? [])] : []
    const first = box?.querySelector('.divider') ?? words.at(-1)
    // Whoever has scrolled already stays there.
    if (box && first && box.scrollTop === 0)
      box.scrollTop = first.getBoundingClientRect().top - box.getBoundingClientRect().top - margin
  }, [earlier])
  useLayoutEffect(() => {
    const box = view.current
    if (box !== null && isAtEnd.current && wasRunning.current) box.scrollTop = box.scrollHeight
    wasRunning.current = document.trace.summary.state === 'running'
  }, [document])
  return view
}

function Divider({ text }: { readonly text: string }): JSX.Element {
  return (
    <div class="divider">
      <span>{text}</span>
    </div>
  )
}

function leading(blocks: readonly Block[]): number {
  const end = blocks.findIndex(block => block.kind === 'call' || block.said.who !== 'system')
  return end === -1 ? 0 : end
}

function Tools({ names: all }: { readonly names: readonly string[] }): JSX.Element {
  return (
    <details class="block tools">
      <summary>
        <span class="who">Tools</span>
        <span class="peek">{visible(all.join(', '))}</span>
        <span class="size">{all.length}</span>
      </summary>
      <ul>
        {all.map((name, i) => (
          <li key={`${i} ${name}`}>
            <code>{visible(name)}</code>
          </li>
        ))}
      </ul>
    </details>
  )
}

export function BlockView({ block }: { readonly block: Block }): JSX.Element {
  if (block.kind === 'call') return <CallView card={block} />
  const { said, more } = block
  const all = [said, ...more]
  const isFolded = said.who === 'system' || said.who === 'thinking' || said.who === 'other'
  if (!isFolded) {
    return (
      <section class={`block ${said.who}`}>
        <h2 class="who">{names[said.who]}</h2>
        <Parts said={all} />
      </section>
    )
  }
  const length = all.reduce((sum, { text }) => sum + text.length, 0)
  return (
    <details class={`block ${said.who}`} open={said.who === 'thinking' && length < 600}>
      <summary>
        <span class="who">{names[said.who]}</span>
        <span class="peek">{visible(said.text.slice(0, 200))}</span>
        <span class="size">{plural(length, 'character')}</span>
      </summary>
      <Parts said={all} />
    </details>
  )
}

function Parts({ said }: { readonly said: readonly Said[] }): JSX.Element {
  return (
    <div class="said-parts">
      {said.map(({ text, image }, i) =>
        image === undefined ? <Text key={i} text={text} /> : <img key={i} src={image} alt="As it was sent" />,
      )}
    </div>
  )
}

function CallView({ card: { call, result, ms } }: { readonly card: CallCard }): JSX.Element {
  const isFailed = result?.title === 'failed'
  return (
    <section
      class={`block call ${isFailed ? 'failed' : ''}`}
      aria-label={`Call of ${call.title ?? 'a tool'}`}
    >
      <header>
        <Icon name="tool" />
        <h2>{visible(call.title ?? 'tool')}</h2>
        <span class="size">
          {ms !== undefined && duration(ms)}
          {isFailed && ' · failed'}
          {result === undefined && 'no result yet'}
        </span>
      </header>
      <Text text={prettyArguments(call.text)} isCode />
      {result !== undefined && (
        <div class="result">
          <Text text={prettyArguments(result.text)} isCode />
          {result.image !== undefined && <img src={result.image} alt="As the tool returned it" />}
        </div>
      )}
    </section>
  )
}
