/** The field with the filter, and what could be typed next. */
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import { completions, endWord, parseFilter } from '../logic/filter.ts'
import { visible } from '../logic/format.ts'
import { app, setRoute } from '../state/app.ts'
import { useStore } from '../state/store.ts'
import { Icon } from './icon.tsx'

export function FilterBar(): JSX.Element {
  const filter = useStore(app, ({ route }) => route.filter)
  const summaries = useStore(app, state => state.summaries)
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const offers = useMemo(() => (isOpen ? completions(filter, summaries) : []), [isOpen, filter, summaries])
  const { problems } = useMemo(() => parseFilter(filter), [filter])
  const change = (text: string): void => {
    setRoute({ ...app.get().route, filter: text }, true)
    setChosen(-1)
    setOpen(true)
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    const { length } = offers
    if (event.key === 'ArrowDown' && length > 0) setChosen((chosen + 1) % length)
    else if (event.key === 'ArrowUp' && length > 0)
      setChosen(((chosen + length) % (length + 1)) - (chosen <= 0 ? 1 : 0))
    else if ((event.key === 'Tab' || event.key === 'Enter') && offers[chosen] !== undefined)
      change(offers[chosen].text)
    else if (event.key === 'Enter') {
      change(endWord(filter))
      setOpen(false)
      document.getElementById('list')?.focus()
    } else return
    event.preventDefault()
  }
  const optionId = (i: number): string => `filter-offer-${i}`
  return (
    <div class="filter-bar" role="search">
      <Icon name="search" />
      <input
        id="filter"
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        placeholder="Filter: model:qwen* status:>=400 losses:>0 …"
        aria-label="Filter the exchanges"
        aria-expanded={offers.length > 0}
        aria-controls="filter-offers"
        aria-activedescendant={chosen >= 0 ? optionId(chosen) : undefined}
        aria-invalid={problems.length > 0}
        value={filter}
        onInput={event => change(event.currentTarget.value)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={onKeyDown}
      />
      {filter === '' ? (
        <kbd aria-hidden="true">/</kbd>
      ) : (
        <button type="button" class="icon-button" aria-label="Clear the filter" onClick={() => change('')}>
          <Icon name="close" />
        </button>
      )}
      <div
        id="filter-offers"
        role="listbox"
        aria-label="What could be typed"
        class="offers"
        hidden={offers.length === 0}
      >
        {offers.map(({ text, label, about }, i) => (
          <div
            key={label}
            id={optionId(i)}
            role="option"
            tabIndex={-1}
            aria-selected={i === chosen}
            onMouseDown={event => {
              event.preventDefault()
              change(text)
            }}
          >
            <code>{visible(label)}</code> <span>{visible(about)}</span>
          </div>
        ))}
      </div>
      {problems.length > 0 && (
        <p class="filter-problem" role="alert">
          {problems.join(' ')}
        </p>
      )}
    </div>
  )
}
