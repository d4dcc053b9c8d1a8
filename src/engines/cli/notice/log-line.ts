/** Lines of a log and of a stack, which no CLI says to anybody: never examined. Null when the line is neither. */
export function lineOf(text: string): 'note' | null {
  return NOTES.some((pattern) => pattern.test(text)) ? 'note' : null
}

const NOTES: readonly RegExp[] = [
  // `2026-10-01T07:52:57Z ERROR codex_core::tools::router: …`
  /^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,20}\]? {0,3}\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE)\b/i,
  // `at retryWithBackoff (file:///…:308062:29)`
  /^at (?:async )?(?:[\w.<>$]{1,80} ){0,4}\(?(?:file:|node:|\/|[A-Z]:\\|<anonymous>)/,
]
