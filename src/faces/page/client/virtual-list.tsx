import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { useSize } from './hooks.ts'

interface VirtualListProps<Item> {
  readonly label: string
  readonly items: readonly Item[]
  readonly keyOf: (item: Item) => string
  /** Height of each row, px. */
  readonly rowHeight: number
  readonly row: (item: Item) => ComponentChildren
  /** What a screen reader says of a row. */
  readonly say: (item: Item) => string
  readonly selected: string | null
  readonly onSelect: (item: Item) => void
  /** Told when other rows come into sight, by their places. */
  readonly onSight?: ((first: number, last: number) => void) | undefined
  readonly follow?: boolean
}

/** Rows drawn beyond the visible ones. */
const MORE = 6

/**
 * A list of any length: only the rows in sight are drawn. One stop of the tab key; arrows, pages, Home and End go through it, and what is gone to is
 * selected.
 */
export function VirtualList<Item>(props: VirtualListProps<Item>) {
  const { label, items, keyOf, rowHeight, row, say, selected, onSelect, onSight, follow = false } = props
  const [measure, { height }, box] = useSize<HTMLDivElement>()
  const [top, setTop] = useState(0)
  const first = Math.max(0, Math.min(items.length - 1, Math.floor(top / rowHeight) - MORE))
  const last = Math.min(items.length, Math.ceil((top + height) / rowHeight) + MORE)
  const place = items.findIndex((item) => keyOf(item) === selected)
  useEffect(() => onSight?.(Math.floor(top / rowHeight), Math.min(items.length, Math.ceil((top + height) / rowHeight))), [top, height, items.length])
  useEffect(() => {
    if (follow && box !== null) box.scrollTop = items.length * rowHeight
  }, [follow, items.length, box])

  // What is chosen elsewhere comes into sight; what was chosen here is, and may be scrolled away from.
  useEffect(() => {
    if (box !== null && place >= 0) box.scrollTop = scrolledTo(place * rowHeight, rowHeight, box.scrollTop, height)
  }, [selected, height])

  const go = (event: KeyboardEvent): void => {
    const to = destination(event.key, place, items.length, Math.max(1, Math.floor(height / rowHeight) - 1))
    const item = to === null ? undefined : items[to]
    if (item === undefined || to === null) return
    event.preventDefault()
    onSelect(item)
  }
  const shown = items.slice(first, last)
  const id = label.replaceAll(/\W+/g, '-')
  return (
    <div
      class="list"
      ref={measure}
      role="listbox"
      aria-label={label}
      aria-activedescendant={place >= first && place < last ? `${id}-${place}` : undefined}
      tabIndex={0}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={go}
    >
      <div class="rows" role="presentation" style={{ height: `${items.length * rowHeight}px` }}>
        {shown.map((item, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys of its rows are those of the list, which alone has the focus
          // biome-ignore lint/a11y/useFocusableInteractive: as above
          <div
            key={keyOf(item)}
            id={`${id}-${first + index}`}
            class="row"
            role="option"
            aria-selected={first + index === place}
            aria-label={say(item)}
            aria-posinset={first + index + 1}
            aria-setsize={items.length}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + index) * rowHeight}px)` }}
            onClick={() => onSelect(item)}
          >
            {row(item)}
          </div>
        ))}
      </div>
    </div>
  )
}

function destination(key: string, place: number, count: number, page: number): number | null {
  const within = (to: number): number => Math.max(0, Math.min(count - 1, to))
  switch (key) {
    case 'ArrowDown':
      return within(place + 1)
    case 'ArrowUp':
      return within(place - 1)
    case 'PageDown':
      return within(place + page)
    case 'PageUp':
      return within(place - page)
    case 'Home':
      return 0
    case 'End':
      return count - 1
    case 'Enter':
      return Math.max(0, place)
    default:
      return null
  }
}

function scrolledTo(y: number, rowHeight: number, top: number, height: number): number {
  if (y < top) return y
  return y + rowHeight > top + height ? y + rowHeight - height : top
}
