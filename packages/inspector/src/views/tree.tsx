/** JSON as a tree that folds, with marks on its lines, search, and copies of paths and values. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { pathText, visible } from '../logic/format.ts'
import {
  idOf,
  type Path,
  peek,
  searchTree,
  type TreeLine,
  treeLines,
  usuallyOpen,
} from '../logic/json-tree.ts'
import { copyText } from '../state/clipboard.ts'
import { Icon } from './icon.tsx'
import { Virtual } from './virtual.tsx'

interface TreeProps {
  readonly value: unknown
  readonly label: string
}

const lineHeight = 22
const mostHits = 1000

export function Tree({ value, label }: TreeProps): JSX.Element {
  const [changed, setChanged] = useState<ReadonlyMap<string, boolean>>(new Map())
  const [search, setSearch] = useState('')
  const [hit, setHit] = useState(0)
  const [active, setActive] = useState(0)
  const hits = useMemo(() => searchTree(value, search, mostHits), [value, search])
  const lines = useMemo(
    () => treeLines(value, (id, depth, size) => changed.get(id) ?? usuallyOpen(depth, size)),
    [value, changed],
  )
  const set = (id: string, isOpen: boolean): void => setChanged(new Map(changed).set(id, isOpen))
  const showHit = (at: number): void => {
    const path = hits[at]
    if (path === undefined) return
    setHit(at)
    setChanged(withParentsOpen(changed, path))
    wanted.current = idOf(path)
  }
  const wanted = useRef<string>()
  useEffect(() => {
    const at = wanted.current === undefined ? -1 : lines.findIndex(({ id }) => id === wanted.current)
    wanted.current = undefined
    if (at !== -1) setActive(at)
  }, [lines])
  useEffect(() => showHit(0), [hits])
  return (
    <div class="tree-box">
      <SearchBar
        search={search}
        hits={hits.length}
        at={hit}
        onSearch={setSearch}
        onHit={showHit}
        onAll={isOpen => setChanged(allOf(value, isOpen))}
      />
      <Virtual
        role="tree"
        class="tree"
        label={label}
        count={lines.length}
        rowHeight={lineHeight}
        shown={active}
        activeId={lines[active] === undefined ? undefined : `${label}-${active}`}
        onKeyDown={event => onTreeKey(event, lines, active, setActive, set)}
        row={i => {
          const line = lines[i]
          return line === undefined ? null : (
            <Line
              key={line.id}
              line={line}
              id={`${label}-${i}`}
              isActive={i === active}
              onPick={() => setActive(i)}
              onToggle={() => set(line.id, !line.isOpen)}
            />
          )
        }}
      />
    </div>
  )
}

interface SearchProps {
  readonly search: string
  readonly hits: number
  readonly at: number
  onSearch(text: string): void
  onHit(at: number): void
  onAll(isOpen: boolean): void
}

function SearchBar({ search, hits, at, onSearch, onHit, onAll }: SearchProps): JSX.Element {
  return (
    <div class="tree-bar">
      <input
        type="search"
        placeholder="Search keys and values"
        aria-label="Search keys and values"
        value={search}
        onInput={event => onSearch(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key === 'Enter' && hits > 0) onHit((at + (event.shiftKey ? hits - 1 : 1)) % hits)
        }}
      />
      <span class="quiet" role="status">
        {search !== '' &&
          (hits === 0 ? 'nothing found' : `${at + 1} of ${hits}${hits === mostHits ? '+' : ''}`)}
      </span>
      <button type="button" onClick={() => onAll(true)}>
        Unfold
      </button>
      <button type="button" onClick={() => onAll(false)}>
        Fold
      </button>
    </div>
  )
}

interface LineProps {
  readonly line: TreeLine
  readonly id: string
  readonly isActive: boolean
  onPick(): void
  onToggle(): void
}

function Line({ line, id, isActive, onPick, onToggle }: LineProps): JSX.Element {
  const { depth, name, value, size, isOpen, path } = line
  return (
    <div
      id={id}
      role="treeitem"
      aria-level={depth + 1}
      aria-expanded={size === undefined || size === 0 ? undefined : isOpen}
      aria-selected={isActive}
      class={`tree-line ${isActive ? 'active' : ''}`}
      style={{ paddingLeft: `${8 + depth * 16}px` }}
      onClick={() => {
        onPick()
        if (size) onToggle()
      }}
    >
      <span class="fold" aria-hidden="true">
        {size ? (isOpen ? '▾' : '▸') : ''}
      </span>
      {name !== undefined && <span class="key">{typeof name === 'number' ? name : visible(name)}</span>}
      <Value value={value} isOpen={isOpen} />
      <span class="line-tools">
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Copy the path ${pathText(path)}`}
          title="Copy the path"
          onClick={event => copyFrom(event, pathText(path), 'path')}
        >
          path
        </button>
        <button
          type="button"
          tabIndex={-1}
          aria-label="Copy the value"
          title="Copy the value"
          onClick={event => copyFrom(event, valueText(value), 'value')}
        >
          <Icon name="copy" />
        </button>
      </span>
    </div>
  )
}

function Value({ value, isOpen }: { readonly value: unknown; readonly isOpen: boolean }): JSX.Element {
  const kind = value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
  return <span class={`value ${kind}`}>{isOpen ? (kind === 'list' ? '[' : '{') : visible(peek(value))}</span>
}

function copyFrom(event: Event, text: string, what: string): void {
  event.stopPropagation()
  void copyText(text, what)
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function withParentsOpen(changed: ReadonlyMap<string, boolean>, path: Path): ReadonlyMap<string, boolean> {
  const open = new Map(changed)
  for (let length = 0; length < path.length; length++) open.set(idOf(path.slice(0, length)), true)
  return open
}

/** Unfolding everything of a large body would be of no use; what is beyond the limit stays as it is. */
const mostUnfolded = 20_000

function allOf(value: unknown, isOpen: boolean): ReadonlyMap<string, boolean> {
  if (!isOpen)
    return new Map([
      ['[]', true],
      ...membersOf(value).map(([key]): [string, boolean] => [idOf([key]), false]),
    ])
  const all = new Map<string, boolean>()
  const queue: [Path, unknown][] = [[[], value]]
  for (let i = 0; i < queue.length && all.size < mostUnfolded; i++) {
    const [path, here] = queue[i] ?? [[], undefined]
    if (typeof here !== 'object' || here === null) continue
    all.set(idOf(path), true)
    for (const [key, member] of membersOf(here)) queue.push([[...path, key], member])
  }
  return all
}

function membersOf(value: unknown): [string | number, unknown][] {
  if (Array.isArray(value)) return [...value.entries()]
  return typeof value === 'object' && value !== null ? Object.entries(value) : []
}

function onTreeKey(
  event: KeyboardEvent,
  lines: readonly TreeLine[],
  active: number,
  setActive: (at: number) => void,
  set: (id: string, isOpen: boolean) => void,
): void {
  const line = lines[active]
  const go = (at: number): void => setActive(Math.max(0, Math.min(lines.length - 1, at)))
  const parent = (): number => {
    for (let i = active - 1; i >= 0; i--) if ((lines[i]?.depth ?? 0) < (line?.depth ?? 0)) return i
    return active
  }
  const actions: { readonly [key: string]: () => void } = {
    ArrowDown: () => go(active + 1),
    ArrowUp: () => go(active - 1),
    PageDown: () => go(active + 20),
    PageUp: () => go(active - 20),
    Home: () => go(0),
    End: () => go(lines.length - 1),
    ArrowRight: () => (line?.size && !line.isOpen ? set(line.id, true) : go(active + 1)),
    ArrowLeft: () => (line?.isOpen ? set(line.id, false) : go(parent())),
    Enter: () => line?.size && set(line.id, !line.isOpen),
    c: () => void copyText(valueText(line?.value), 'value'),
    p: () => void copyText(pathText(line?.path ?? []), 'path'),
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return
  event.preventDefault()
  event.stopPropagation()
  actions[event.key]?.()
}
