import { render } from 'preact'
import { App } from './app.tsx'
import { readForever } from './event-stream.ts'
import { hasToken, takeToken } from './session.ts'
import { Store } from './store.ts'

const store = new Store()
const token = takeToken()
// Whoever opens the printed address in a tab that has the page, changes nothing but the fragment.
addEventListener('hashchange', () => {
  if (!hasToken()) return
  takeToken()
  location.reload()
})
const root = document.getElementById('page')
if (root !== null) render(<App store={store} token={token} />, root)
void readForever({ token, onEvents: (events) => store.hear(events), onConnection: (connection) => store.connected(connection) })
