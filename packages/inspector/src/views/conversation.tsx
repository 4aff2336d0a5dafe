/** What was said, on whatever wire, streamed or not. Whatever a model wrote is only ever text here. */
import { Fragment, type JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { Said } from '../../../toolwire/src/reading/said.ts'
import { type Block, blocksOf, type CallCard, earlierBlocks, prettyArguments } from '../logic/cards.ts'
import { duration, plural, visible } from '../logic/format.ts'
import { previousOf } from '../logic/grouping.ts'
import type { ExchangeDocument } from '../state/api.ts'
import { app } from '../state/app.ts'
import { Icon } from './icon.tsx'

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

/** Of a long history the last blocks are what one wants to see. */
const shownBlocks = 60
/** So many are added at a time: a history may have tens of thousands. */
const moreBlocks = 200

export function ConversationView({ document }: { readonly document: ExchangeDocument }): JSX.Element {
  const { trace, reading } = document
  const { tools, before = [], missing, history, answer, unread } = reading.conversation
  const [most, setMost] = useState(shownBlocks)
  const isRunning = trace.summary.state === 'running'
  const blocks = blocksOf([...before, ...history, ...answer], trace.tool_runs, clientTime(document))
  const earlier = earlierBlocks(blocks, before)
  const hidden = Math.max(0, blocks.length - most)
  const first = hidden > 0 ? blocks.slice(0, leading(blocks)) : []
  return (
    <div class="view conversation" aria-busy={isRunning}>
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
          What was said until <code>{visible(missing)}</code> is not among the exchanges any more.
        </p>
      )}
      {blocks.slice(Math.max(hidden, first.length)).map((block, i) => {
        const at = Math.max(hidden, first.length) + i
        return (
          <Fragment key={at}>
            {at === earlier && earlier > 0 && <Divider text="Sent with this request" />}
            <BlockView block={block} />
          </Fragment>
        )
      })}
      {isRunning && (
        <p class="writing" role="status">
          <i class="running-bar" /> still going on
        </p>
      )}
      {unread.length > 0 && (
        <p class="quiet">
          The {unread.join(' and the ')} cannot be read as a conversation; Raw has what was kept of it.
        </p>
      )}
      {blocks.length === 0 && unread.length === 0 && !isRunning && (
        <p class="empty">Nothing was kept of what was said.</p>
      )}
    </div>
  )
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

/** Between the end of the exchange before and the start of this one, the client ran its tools. */
function clientTime({ trace: { summary } }: ExchangeDocument): number | undefined {
  const before = previousOf(summary, app.get().summaries)
  if (before === undefined || before.client_calls === 0) return undefined
  const ms = Date.parse(summary.time) - Date.parse(before.time) - (before.total_ms ?? 0)
  return ms >= 0 ? ms : undefined
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
  const { said } = block
  const isFolded = said.who === 'system' || said.who === 'thinking' || said.who === 'other'
  if (!isFolded) {
    return (
      <section class={`block ${said.who}`}>
        <h2 class="who">{names[said.who]}</h2>
        {said.image === undefined ? <Text text={said.text} /> : <img src={said.image} alt="As it was sent" />}
      </section>
    )
  }
  return (
    <details class={`block ${said.who}`} open={said.who === 'thinking' && said.text.length < 600}>
      <summary>
        <span class="who">{names[said.who]}</span>
        <span class="peek">{visible(said.text.slice(0, 200))}</span>
        <span class="size">{plural(said.text.length, 'character')}</span>
      </summary>
      <Text text={said.text} />
    </details>
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

/** Longer texts are cut until somebody wants to read on. */
const shownLength = 4000

function Text({ text, isCode = false }: { readonly text: string; readonly isCode?: boolean }): JSX.Element {
  const [isWhole, setWhole] = useState(false)
  const isLong = text.length > shownLength * 1.25
  const shown = isLong && !isWhole ? text.slice(0, shownLength) : text
  return (
    <>
      <pre class={isCode ? 'text code' : 'text'} dir="auto">
        {visible(shown)}
      </pre>
      {isLong && (
        <button type="button" class="more" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show ${plural(text.length - shownLength, 'more character')}`}
        </button>
      )}
    </>
  )
}
