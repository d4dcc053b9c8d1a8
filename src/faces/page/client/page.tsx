import { render } from 'preact'
import { App } from './app.tsx'
import { readForever } from './event-stream.ts'
import { takeToken } from './session.ts'
import { Store } from './store.ts'

const store = new Store()
const token = takeToken()
const root = document.getElementById('page')
if (root !== null) render(<App store={store} token={token} />, root)
void readForever({ token, onEvents: (events) => store.hear(events), onConnection: (connection) => store.connected(connection) })
