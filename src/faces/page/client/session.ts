/**
 * What the page keeps between loads: the token of this start, and where a person was.
 *
 * 1. The token comes in the fragment, which no request carries, and is taken out of the address at once (WEB-05).
 * 2. It lives as long as the tab: a bookmark or a copied address has none.
 */
const TOKEN = 'relevo.token'
const VIEW = 'relevo.view'

const given = (): string => /(?:^#|&)token=([^&]*)/.exec(location.hash)?.[1] ?? ''

/** Whether one stands in the address. */
export const hasToken = (): boolean => given() !== ''

export function takeToken(): string | null {
  const token = given()
  if (token !== '') {
    keep(sessionStorage, TOKEN, decoded(token))
    history.replaceState(null, '', location.pathname)
  }
  return kept(sessionStorage, TOKEN)
}

export const rememberView = (view: string): void => keep(localStorage, VIEW, view)
export const rememberedView = (): string | null => kept(localStorage, VIEW)

function decoded(token: string): string {
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}

/** A browser may forbid to keep anything; then nothing is kept. */
function keep(storage: Storage, name: string, value: string): void {
  try {
    storage.setItem(name, value)
  } catch {}
}

function kept(storage: Storage, name: string): string | null {
  try {
    return storage.getItem(name)
  } catch {
    return null
  }
}
