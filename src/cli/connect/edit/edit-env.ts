import { newlineOf, oneByOne, shownPath, splice } from './setting.ts'

/** A line of a `.env` file, with values over several lines in quotes. */
const LINE =
  /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*('(?:\\'|[^'])*'|"(?:\\"|[^"])*"|`(?:\\`|[^`])*`|[^#\r\n]*?)[ \t]*(?:#[^\r\n]*)?$/gm

export const editEnv = oneByOne((text, { path, value, isDefault }) => {
  const name = shownPath(path)
  const written = quoted(String(value))
  // Of two with one name the last counts.
  const line = [...text.matchAll(LINE)].findLast((match) => match[1] === name)
  if (line === undefined) {
    const isWhole = text === '' || text.endsWith('\n')
    return { text: `${text}${isWhole ? '' : newlineOf(text)}${name}=${written}${newlineOf(text)}`, before: null }
  }
  const before = line[2] ?? ''
  if (isDefault || before === written || unquoted(before) === value) return null
  const start = line.index + line[0].indexOf('=') + 1
  const from = start + (/^[ \t]*/.exec(text.slice(start))?.[0].length ?? 0)
  return { text: splice(text, from, from + before.length, written), before }
})

function quoted(value: string): string {
  if (/^[\w./:@%+-]*$/.test(value)) return value
  return value.includes("'") ? JSON.stringify(value) : `'${value}'`
}

function unquoted(written: string): string {
  return /^(["'`])(.*)\1$/s.exec(written)?.[2] ?? written
}
