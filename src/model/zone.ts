/** Whether this is a time zone that is known here, by name or as an offset. */
export function isZone(zone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** The zone of this process; UTC where it has none that can be asked for by its name, as with an empty `TZ`. */
export function localZone(): string {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions()
  return isZone(timeZone) ? timeZone : 'UTC'
}
