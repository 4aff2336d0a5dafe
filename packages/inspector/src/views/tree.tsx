/** JSON as a tree that folds, with marks on its lines, search, and copies of paths and values. */
import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import {
  type FoldTree,
  fold,
  foldAll,
  foldTree,
  type TreeLine,
  unfoldAll,
  unfoldTo,
} from '../logic/fold-tree.ts'
import { count, pathText, visible } from '../logic/format.ts'
import { idOf, isLongText, type Path, peek } from '../logic/json-tree.ts'
import { mostFound } from '../logic/tree-search.ts'
import { copyText } from '../state/clipboard.ts'
import { type Searched, useSearch } from '../state/use-search.ts'
import { Icon } from './icon.tsx'
import { Text } from './text.tsx'
import { Virtual } from './virtual.tsx'

interface TreeProps {
  readonly value: unknown
  readonly label: string
}

const lineHeight = 22
/** Unfolding everything of a large body would be of no use; what is beyond the limit stays folded. */
const mostUnfolded = 20_000

export function Tree({ value, label }: TreeProps): JSX.Element {
  const [folding, setFolding] = useState({})
  const [search, setSearch] = useState('')
  const [hit, setHit] = useState(0)
  const [active, setActive] = useState(0)
  const searched = useSearch(value, search)
  const tree = useMemo(() => foldTree(value, folding), [value, folding])
  const set = (path: Path, isOpen: boolean): void => setFolding(fold(folding, path, isOpen))
  const showHit = (at: number): void => {
    const path = searched.found[at]
    if (path === undefined) return
    const unfolded = unfoldTo(folding, path)
    setHit(at)
    setFolding(unfolded)
    setActive(foldTree(value, unfolded).indexOf(path))
  }
  const isFound = searched.count > 0
  const read = tree.line(active)
  // The list of what was found is another one for each search; the first of them is shown, not each that follows.
  useEffect(() => showHit(0), [searched.found, isFound])
  return (
    <div class="tree-box">
      <SearchBar
        search={search}
        searched={searched}
        at={hit}
        onSearch={setSearch}
        onHit={showHit}
        onAll={isOpen => {
          setFolding(isOpen ? unfoldAll(value, mostUnfolded) : foldAll(value))
          setActive(0)
        }}
      />
      <Virtual
        role="tree"
        class="tree"
        label={label}
        count={tree.count}
        rowHeight={lineHeight}
        shown={active}
        activeId={`${label}-${active}`}
        onKeyDown={event => onTreeKey(event, tree, active, setActive, set)}
        row={i => {
          const line = tree.line(i)
          return line === undefined ? null : (
            <Line
              key={idOf(line.path)}
              line={line}
              id={`${label}-${i}`}
              isActive={i === active}
              onPick={() => setActive(i)}
              onToggle={() => set(line.path, !line.isOpen)}
            />
          )
        }}
      />
      {isLongText(read?.value) && (
        <section class="tree-text" aria-label="The whole text" tabIndex={0}>
          <Text key={idOf(read?.path ?? [])} text={read.value} isCode />
        </section>
      )}
    </div>
  )
}

interface SearchProps {
  readonly search: string
  readonly searched: Searched
  readonly at: number
  onSearch(text: string): void
  onHit(at: number): void
  onAll(isOpen: boolean): void
}

function SearchBar({ search, searched, at, onSearch, onHit, onAll }: SearchProps): JSX.Element {
  const { count: hits } = searched
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
      <span class="quiet" role="status" aria-busy={!searched.isDone}>
        {search !== '' && hitsText(searched, at)}
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

function hitsText({ count: hits, isDone }: Searched, at: number): string {
  if (!isDone) return `${count(hits)} found, searching…`
  if (hits === 0) return 'nothing found'
  return `${at + 1} of ${hits}${hits === mostFound ? '+' : ''}`
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
          aria-label={`Copy the path ${visible(pathText(path))}`}
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
  const kind = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value
  return <span class={`value ${kind}`}>{isOpen ? (kind === 'array' ? '[' : '{') : visible(peek(value))}</span>
}

function copyFrom(event: Event, text: string, what: string): void {
  event.stopPropagation()
  void copyText(text, what)
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2)
}

function onTreeKey(
  event: KeyboardEvent,
  tree: FoldTree,
  active: number,
  setActive: (at: number) => void,
  set: (path: Path, isOpen: boolean) => void,
): void {
  const line = tree.line(active)
  if (line === undefined) return
  const go = (at: number): void => setActive(Math.max(0, Math.min(tree.count - 1, at)))
  const actions: { readonly [key: string]: () => void } = {
    ArrowDown: () => go(active + 1),
    ArrowUp: () => go(active - 1),
    PageDown: () => go(active + 20),
    PageUp: () => go(active - 20),
    Home: () => go(0),
    End: () => go(tree.count - 1),
    ArrowRight: () => (line.size && !line.isOpen ? set(line.path, true) : go(active + 1)),
    ArrowLeft: () => (line.isOpen ? set(line.path, false) : go(tree.indexOf(line.path.slice(0, -1)))),
    Enter: () => line.size && set(line.path, !line.isOpen),
    c: () => void copyText(valueText(line.value), 'value'),
    p: () => void copyText(pathText(line.path), 'path'),
  }
  if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(actions, event.key)) return
  event.preventDefault()
  event.stopPropagation()
  actions[event.key]?.()
}
