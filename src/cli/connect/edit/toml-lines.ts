import { TomlReader } from './toml-reader.ts'

/** `key = value`, and where its value is. */
export interface Entry {
  /** From the root, with the table it is in. */
  path: string[]
  table: Table
  start: number
  valueStart: number
  valueEnd: number
}

/** `[table]`; the root has no line. */
export interface Table {
  path: string[]
  isList: boolean
  /** Where its line and those of its entries end. */
  end: number
}

export interface TomlFile {
  entries: Entry[]
  /** The root first. */
  tables: Table[]
}

/** The lines of a TOML file as they lie. */
export function readToml(text: string): TomlFile {
  const reader = new TomlReader(text)
  const file: TomlFile = { entries: [], tables: [{ path: [], isList: false, end: 0 }] }
  for (reader.skip(); !reader.isAtEnd; reader.skip()) {
    if (reader.sees('[')) file.tables.push(readTable(reader, file))
    else file.entries.push(readEntry(reader, file))
    reader.endLine()
    const table = file.tables.at(-1)
    if (table !== undefined) table.end = reader.at
  }
  return file
}

function readTable(reader: TomlReader, { tables }: TomlFile): Table {
  const start = reader.at
  const isList = reader.sees('[[')
  reader.at += isList ? 2 : 1
  const path = reader.key()
  reader.expect(isList ? ']]' : ']', 'after the name of a table')
  const isTwice = !isList && tables.some((other) => path.length > 0 && isSame(other.path, path))
  // In a list of tables each may have one of this name.
  const isInList = tables.some((other) => other.isList && startsWith(path, other.path))
  if (isTwice && !isInList) throw reader.fail(`the table ${path.join('.')} is there twice`, start)
  return { path, isList, end: 0 }
}

function readEntry(reader: TomlReader, { entries, tables }: TomlFile): Entry {
  const table = tables.at(-1) ?? { path: [], isList: false, end: 0 }
  const start = reader.at
  const path = [...table.path, ...reader.key()]
  const valueStart = reader.assigned(path.join('.'))
  if (entries.some((other) => other.table === table && isSame(other.path, path))) {
    throw reader.fail(`${path.join('.')} is there twice`, start)
  }
  return { path, table, start, valueStart, valueEnd: reader.at }
}

export function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && startsWith(one, other)
}

export function startsWith(path: readonly string[], beginning: readonly string[]): boolean {
  return beginning.length <= path.length && beginning.every((part, index) => part === path[index])
}
