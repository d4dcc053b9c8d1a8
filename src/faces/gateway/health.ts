/** What a balancer is told, who has no key: whether requests are taken. */
export function health(isDraining: boolean): { readonly status: number; readonly body: object } {
  return isDraining ? { status: 503, body: { status: 'draining' } } : { status: 200, body: { status: 'ok' } }
}
