/**
 * Stands in a chart for what the runtime does. The chart stays pure: `runtime/wire.ts` provides each of these by name, and a test proves
 * that none was forgotten, because an action without an implementation is silent in production.
 */
export const effect = (): void => {}
