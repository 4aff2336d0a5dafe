/**
 * Loads SQLite: Node's own since 22.13, before that an optional package with the same interface. This happens only when
 * a store is opened, because not every gateway has one.
 */
import process from 'node:process'
import { StoreError } from './store-error.ts'

export type SqlValue = string | number | null

export interface Statement {
  run(...values: SqlValue[]): { readonly changes: number | bigint; readonly lastInsertRowid: number | bigint }
  get(...values: SqlValue[]): unknown
  all(...values: SqlValue[]): unknown[]
}

export interface Connection {
  exec(sql: string): void
  prepare(sql: string): Statement
  /** With the package, the file stays open until all statements of the connection are garbage collected. */
  close(): void
}

export interface Driver {
  readonly name: string
  open(path: string): Connection
}

/** Replaced in tests. */
export interface DriverSources {
  readonly builtin: () => unknown
  readonly dependency: () => Promise<unknown>
}

const builtinName = 'node:sqlite'
const packageName = '@photostructure/sqlite'

const installed: DriverSources = {
  builtin: () => process.getBuiltinModule?.(builtinName),
  dependency: () => import('@photostructure/sqlite'),
}

export async function loadDriver(sources: DriverSources = installed): Promise<Driver> {
  const builtin = driverOf(builtinName, withoutSqliteWarning(sources.builtin))
  if (builtin !== undefined) return builtin
  let cause: unknown
  try {
    const dependency = driverOf(packageName, await sources.dependency())
    if (dependency !== undefined) return dependency
  } catch (error) {
    cause = error
  }
  throw new StoreError(
    'no_driver',
    `SQLite cannot be loaded: this is Node ${process.versions.node}, without ${builtinName}, and the package ` +
      `${packageName} is not installed or has no build for ${process.platform}-${process.arch}. ` +
      `Use Node 22.13 or later, run "npm install ${packageName}", or choose the memory store.`,
    { cause },
  )
}

type DatabaseClass = new (path: string) => Connection

/** Newer versions of Node call the class `Database`, older ones `DatabaseSync`. */
function driverOf(name: string, loaded: unknown): Driver | undefined {
  if (typeof loaded !== 'object' || loaded === null) return undefined
  const { Database, DatabaseSync } = loaded as { Database?: unknown; DatabaseSync?: unknown }
  const found = Database ?? DatabaseSync
  if (typeof found !== 'function') return undefined
  // The modules are untyped here; both are documented to have this interface.
  const Connect = found as DatabaseClass
  return { name, open: path => new Connect(path) }
}

/** Hides the warning of Node 22 that its module is experimental: users of a gateway cannot act on it. */
function withoutSqliteWarning(load: () => unknown): unknown {
  const emitWarning = process.emitWarning
  process.emitWarning = (...args: unknown[]) => {
    const [warning, type] = args
    if (type === 'ExperimentalWarning' && /sqlite/i.test(String(warning))) return
    Reflect.apply(emitWarning, process, args)
  }
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
