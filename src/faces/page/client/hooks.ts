import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { PageOrder } from '../page-event.ts'
import type { PageModel, Store } from './store.ts'

export interface PageTools {
  readonly store: Store
  readonly token: string | null
  /** Gives an order; true when it was taken. Null where none are taken, with the reason beside it. */
  readonly order: ((order: PageOrder) => Promise<boolean>) | null
  readonly whyNoOrders: string | null
}

export const Tools = createContext<PageTools | null>(null)

export function useTools(): PageTools {
  const tools = useContext(Tools)
  if (tools === null) throw new Error('a component outside the page')
  return tools
}

/** Drawn anew whenever the model changes. */
export function useModel(store: Store): PageModel {
  const [model, setModel] = useState(store.model)
  useEffect(() => {
    setModel(store.model)
    return store.subscribe(() => setModel(store.model))
  }, [store])
  return model
}

/** How late it is on the clock that is looked at; drawn anew every `everyMs`. */
export function useNow(everyMs = 1_000): number {
  const { store } = useTools()
  const [, tick] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => tick((count) => count + 1), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return store.now()
}

interface Size {
  readonly width: number
  readonly height: number
}

/** Where to hang it, its width and height, kept up to date, and the element itself. */
export function useSize<Kind extends Element>(): [(element: Kind | null) => void, Size, Kind | null] {
  const [element, setElement] = useState<Kind | null>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useEffect(() => {
    if (element === null) return
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [setElement, size, element]
}
