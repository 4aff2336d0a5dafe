/** One line of the list: an exchange, or the head of a conversation. */
import type { JSX } from 'preact'
import type { TraceSummary } from '../../../toolwire/src/telemetry/traces/trace-document.ts'
import { clockTime, dollars, duration, plural, short, visible } from '../logic/format.ts'
import { type Group, groupKey, isFailed, type Place, titleOf } from '../logic/grouping.ts'
import { app } from '../state/app.ts'
import { Icon } from './icon.tsx'
import { open } from './list.tsx'

export const rowId = (key: string): string => `row-${key.replaceAll(/\s/g, '-')}`

interface ExchangeRowProps {
  readonly summary: TraceSummary
  readonly place: Place | undefined
  readonly isSelected: boolean
}

export function ExchangeRow({ summary, place, isSelected }: ExchangeRowProps): JSX.Element {
  const { id, time, client, model, upstream_model: used, wire, upstream_wire: upstreamWire, state } = summary
  const asked = visible(titleOf(summary, app.get().summaries))
  return (
    <div
      class={`row exchange ${isSelected ? 'selected' : ''} ${place === undefined ? '' : 'in-group'} ${isFailed(summary) ? 'failed' : ''}`}
      id={rowId(id)}
      role="option"
      tabIndex={-1}
      aria-selected={isSelected}
      onClick={() => open(summary)}
    >
      <span class="c-time">
        <time dateTime={time}>{clockTime(time)}</time>
        {place !== undefined && (
          <small title={placeText(place)}>
            {place.branch}
            {place.turn}.{place.step}
          </small>
        )}
      </span>
      <span class="c-what">
        <span class="asked">{asked}</span>
        <small>
          {visible(client ?? 'unknown client')}
          {summary.lane !== undefined && <span class="lane-mark">{visible(summary.lane)}</span>}
        </small>
      </span>
      <span class="c-model">
        <span class="model">{visible(model ?? '—')}</span>
        {used !== undefined && used !== model && <small>used {visible(used)}</small>}
      </span>
      <span class="c-wire">
        {wire !== undefined && <code>{wire}</code>}
        {upstreamWire !== undefined && upstreamWire !== wire && (
          <>
            <Icon name="arrow" />
            <code>{upstreamWire}</code>
          </>
        )}
      </span>
      <span class="c-status">
        <Status summary={summary} />
      </span>
      <span class="c-time2 figures">
        {state === 'running' ? <i class="running-bar" /> : <span>{duration(summary.total_ms)}</span>}
        <small>{duration(summary.first_byte_ms)}</small>
      </span>
      <span class="c-tokens figures">
        {summary.input_tokens !== undefined && (
          <span>
            {short(summary.input_tokens)} <i>·</i> {short(summary.output_tokens)}
          </span>
        )}
        {(summary.cache_read_tokens ?? 0) > 0 && <small>{short(summary.cache_read_tokens)} cached</small>}
      </span>
      <span class="c-cost figures">{dollars(summary.cost_usd)}</span>
      <span class="c-marks">
        <Marks summary={summary} />
      </span>
    </div>
  )
}

function placeText({ turn, step, branch }: Place): string {
  const where = `Turn ${turn}, step ${step}`
  return branch === undefined ? where : `${where} of another history in this conversation, such as a helper’s`
}

export function Status({ summary }: { readonly summary: TraceSummary }): JSX.Element {
  const { status, state, abandoned, failure } = summary
  if (state === 'running') return <span class="status running">running</span>
  if (abandoned)
    return (
      <span class="status abandoned" title="The client left before the end">
        gone
      </span>
    )
  if (!isFailed(summary)) return <span class="status good">{status ?? '—'}</span>
  // A stream may fail after its status was sent.
  const isLate = status !== undefined && status < 400
  return (
    <span class="status bad" title={isLate ? `${status}, then ${failure}` : failure}>
      {isLate ? 'failed' : (status ?? '—')}
    </span>
  )
}

function Marks({ summary }: { readonly summary: TraceSummary }): JSX.Element {
  const calls = summary.client_calls + summary.tool_runs
  return (
    <>
      {calls > 0 && (
        <span
          class="mark calls"
          title={`${plural(calls, 'tool call')}: ${visible((summary.tools ?? []).join(', '))}`}
        >
          <Icon name="tool" />
          {calls}
        </span>
      )}
      {summary.losses > 0 && (
        <span class="mark losses" title={plural(summary.losses, 'loss')}>
          <Icon name="warning" />
          {summary.losses}
        </span>
      )}
    </>
  )
}

export function GroupRow({
  group,
  isOpen,
  isActive,
  onToggle,
}: {
  readonly group: Group
  readonly isOpen: boolean
  readonly isActive: boolean
  onToggle(): void
}): JSX.Element {
  const newest = group.exchanges[0]
  const title = visible(group.title)
  const facts = [
    plural(group.turns, 'turn'),
    plural(group.exchanges.length, 'request'),
    `${short(group.input)} in, ${short(group.output)} out`,
    ...(group.cost === undefined ? [] : [dollars(group.cost)]),
    ...(group.failures === 0 ? [] : [`${group.failures} failed`]),
  ]
  return (
    <div
      class={`row group ${isActive ? 'active' : ''}`}
      id={rowId(groupKey(group.conversation))}
      role="option"
      tabIndex={-1}
      aria-selected={isActive}
      aria-label={`${title}, ${isOpen ? 'unfolded' : 'folded'}: ${facts.join(', ')}`}
      title={isOpen ? 'Fold the conversation' : 'Unfold the conversation'}
      onClick={onToggle}
    >
      <div class="group-line">
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="group-title">{title}</span>
        <span class="group-facts">
          <span>{visible(newest?.client ?? 'unknown client')}</span>
          {facts.map(fact => (
            <span key={fact}>{fact}</span>
          ))}
        </span>
        {group.losses > 0 && (
          <span class="mark losses">
            <Icon name="warning" />
            {group.losses}
          </span>
        )}
      </div>
    </div>
  )
}
