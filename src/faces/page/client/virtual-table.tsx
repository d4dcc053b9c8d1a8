import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useSize } from './hooks.ts'

interface VirtualTableProps<Item> {
  readonly label: string
  readonly columns: readonly { readonly title: string; readonly figure?: boolean }[]
  readonly items: readonly Item[]
  readonly keyOf: (item: Item, index: number) => string
  readonly cells: (item: Item) => readonly ComponentChildren[]
}

const ROW = 28
const MORE = 8

/** A table of any length: the rows in sight, between two that are as high as the rest. */
export function VirtualTable<Item>({ label, columns, items, keyOf, cells }: VirtualTableProps<Item>) {
  const [measure, { height }] = useSize<HTMLElement>()
  const [top, setTop] = useState(0)
  const first = Math.max(0, Math.min(items.length, Math.floor(top / ROW) - MORE))
  const last = Math.min(items.length, Math.ceil((top + height) / ROW) + MORE)
  const kind = (column: number): string | undefined => (columns[column]?.figure === true ? 'figure' : undefined)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys
    <section ref={measure} class="scroll" aria-label={label} tabIndex={0} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <table aria-rowcount={items.length + 1}>
        <thead>
          <tr>
            {columns.map(({ title }, column) => (
              <th key={title} scope="col" class={kind(column)}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer rows={first} columns={columns.length} />
          {items.slice(first, last).map((item, index) => (
            <tr key={keyOf(item, first + index)} aria-rowindex={first + index + 2}>
              {cells(item).map((cell, column) => (
                <td key={columns[column]?.title} class={kind(column)}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
          <Spacer rows={items.length - last} columns={columns.length} />
        </tbody>
      </table>
    </section>
  )
}

function Spacer({ rows, columns }: { readonly rows: number; readonly columns: number }) {
  if (rows <= 0) return null
  return (
    <tr class="spacer">
      <td colSpan={columns} style={{ height: `${rows * ROW}px` }} />
    </tr>
  )
}
