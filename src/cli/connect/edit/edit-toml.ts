import { newlineOf, oneByOne, problemAt, shownPath, splice } from './setting.ts'
import { type Entry, isSame, readToml, startsWith, type TomlFile } from './toml-lines.ts'
import { plainText } from './toml-reader.ts'

/** Every line but ours stays as it is. */
export const editToml = oneByOne((text, { path: steps, value, isDefault }) => {
  const path = steps.map((step) => shownPath([step]))
  const written = JSON.stringify(value)
  const file = readToml(text)
  const entry = file.entries.find((each) => isSame(each.path, path) && !isInList(file, each.path))
  if (entry !== undefined) {
    const before = text.slice(entry.valueStart, entry.valueEnd)
    if (isDefault || before === written || plainText(before) === value) return null
    return { text: splice(text, entry.valueStart, entry.valueEnd, written), before }
  }
  refuseOtherShapes(text, file, path)
  const { at, isOwnTable, relative } = placeOf(text, file, path)
  const newline = newlineOf(text)
  const head = text.slice(0, at)
  const line = `${relative.map(part).join('.')} = ${written}${newline}`
  const table = isOwnTable ? `${head === '' ? '' : newline}[${path.slice(0, -1).map(part).join('.')}]${newline}` : ''
  const start = head === '' || head.endsWith('\n') ? '' : newline
  // A table right below the new first line is set apart from it.
  const end = at === 0 && text.startsWith('[') ? newline : ''
  return { text: splice(text, at, at, start + table + line + end), before: null }
})

/** Where its line belongs, and its name from there. */
function placeOf(text: string, { entries, tables }: TomlFile, path: readonly string[]) {
  const parent = path.slice(0, -1)
  const relative = path.slice(-1)
  const own = tables.find((table) => isSame(table.path, parent))
  if (own !== undefined && (parent.length > 0 || own.end > 0)) return { at: own.end, isOwnTable: false, relative }
  if (parent.length === 0) return { at: tables.length > 1 ? 0 : text.length, isOwnTable: false, relative }
  // A table that names with dots have made has no line of its own.
  const dotted = entries.findLast((entry) => startsWith(entry.path, parent) && entry.table.path.length < parent.length)
  if (dotted === undefined) return { at: text.length, isOwnTable: true, relative }
  return { at: lineEnd(text, dotted), isOwnTable: false, relative: path.slice(dotted.table.path.length) }
}

function refuseOtherShapes(text: string, file: TomlFile, path: readonly string[]): void {
  const value = file.entries.find((entry) => startsWith(path, entry.path) && !isSame(path, entry.path))
  if (value !== undefined) {
    throw problemAt(text, value.start, `${value.path.join('.')} is a value on one line; write it as a [table]`)
  }
  const list = file.tables.find((table) => table.isList && startsWith(path, table.path))
  const inside = [...file.entries, ...file.tables].find((each) => startsWith(each.path, path))
  const other = list ?? inside
  if (other === undefined) return
  const offset = 'start' in other ? other.start : other.end - 1
  throw problemAt(text, offset, `${path.join('.')} is expected to be one value`)
}

function isInList({ tables }: TomlFile, path: readonly string[]): boolean {
  return tables.some((table) => table.isList && startsWith(path, table.path))
}

function lineEnd(text: string, { valueEnd }: Entry): number {
  const newline = text.indexOf('\n', valueEnd)
  return newline === -1 ? text.length : newline + 1
}

function part(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name)
}
