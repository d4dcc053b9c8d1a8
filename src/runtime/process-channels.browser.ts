/**
 * Stands in for process-channels.ts where a bundler asks for a browser (package.json, field `browser`): a page has no diagnostics channels, so
 * nobody ever listens.
 */
export function processChannel<Message>(_name: string): { readonly hasSubscribers: boolean; publish(message: Message): void } {
  return { hasSubscribers: false, publish() {} }
}
