/** Why a daemon cannot begin here: one line that says where, what, and what to do. */
export class DaemonError extends Error {
  override readonly name = 'DaemonError'
}
