import { channel } from 'node:diagnostics_channel'

/** A named channel of the process. Whoever listens is found by the name alone; `message` is made only while somebody does. */
export function processChannel<Message>(name: string): { readonly hasSubscribers: boolean; publish(message: Message): void } {
  return channel(name)
}
