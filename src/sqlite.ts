/**
 * The door `relevo/sqlite`: a ledger in a SQLite database. Apart from `relevo/host`, because it needs the package `better-sqlite3`, which has a
 * binary of its own and is the user's to install; it is loaded when the first ledger is opened.
 */

export { isDatabase, openSqliteLedger } from './adapters/sqlite/read-sqlite-ledger.ts'
export { type SqliteLedger, type SqliteLedgerOptions, sqliteLedger } from './adapters/sqlite/sqlite-ledger.ts'
