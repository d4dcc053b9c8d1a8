interface TabsProps {
  readonly items: readonly { readonly id: string; readonly title: string }[]
  readonly chosen: string
  readonly onChoose: (id: string) => void
}

/** One stop of the tab key; the arrows go from tab to tab, Home and End to the first and last. */
export function Tabs({ items, chosen, onChoose }: TabsProps) {
  const place = items.findIndex(({ id }) => id === chosen)
  const go = (event: KeyboardEvent): void => {
    const to = destination(event.key, place, items.length)
    const item = to === null ? undefined : items[to]
    if (item === undefined) return
    event.preventDefault()
    onChoose(item.id)
    document.getElementById(`tab-${item.id}`)?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label="Views">
      {items.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          aria-controls="view"
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
          onKeyDown={go}
        >
          {title}
        </button>
      ))}
    </div>
  )
}

function destination(key: string, place: number, count: number): number | null {
  if (key === 'ArrowRight') return (place + 1) % count
  if (key === 'ArrowLeft') return (place - 1 + count) % count
  if (key === 'Home') return 0
  return key === 'End' ? count - 1 : null
}
