import { isDeepStrictEqual } from 'node:util'
import { type JsonNode, readJson } from './json-tree.ts'
import { newlineOf, oneByOne, problemAt, type Setting, shownPath, splice } from './setting.ts'

/** Comments, order, indentation and everything unknown stay. */
export const editJson = oneByOne((text, setting) => {
  const given = text.trim() === '' ? `{}${newlineOf(text)}` : text
  const path = setting.path.map((step) => shownPath([step]))
  let node = readJson(given)
  for (const [depth, name] of path.entries()) {
    if (node.kind !== 'object')
      throw problemAt(given, node.start, `${shownPath(path.slice(0, depth))} is not an object`)
    // Of two with one name the last counts.
    const found = node.members.findLast(({ key }) => key === name)
    if (found === undefined) {
      return { text: withMember(given, node, name, nested(path.slice(depth + 1), setting.value)), before: null }
    }
    node = found.value
  }
  const before = given.slice(node.start, node.end)
  if (setting.isDefault || isSame(before, setting.value)) return null
  return { text: splice(given, node.start, node.end, JSON.stringify(setting.value)), before }
})

function isSame(written: string, value: unknown): boolean {
  try {
    return isDeepStrictEqual(JSON.parse(written), value)
  } catch {
    return false
  }
}

function nested(path: readonly string[], value: Setting['value']): unknown {
  return path.reduceRight<unknown>((inner, name) => Object.fromEntries([[name, inner]]), value)
}

function withMember(text: string, node: JsonNode & { kind: 'object' }, name: string, value: unknown): string {
  const newline = newlineOf(text)
  const outer = indentAt(text, node.start)
  const last = node.members.at(-1)
  const inner = last === undefined ? outer + unitOf(text) : indentAt(text, last.keyStart)
  const member = (indent: string, unit: string) =>
    `${JSON.stringify(name)}: ${JSON.stringify(value, null, unit).replaceAll('\n', newline + indent)}`
  if (last === undefined) {
    const end = node.end - 1
    const inside = text.slice(node.start + 1, end).trimEnd()
    const added = `${inside}${newline}${inner}${member(inner, unitOf(text))}${newline}${outer}`
    return splice(text, node.start + 1, end, added)
  }
  const isInline = !text.slice(node.start, last.keyStart).includes('\n')
  if (isInline) return splice(text, last.value.end, last.value.end, `, ${member('', '')}`)
  const { afterComma, afterLine } = tailOf(text, last.value.end)
  const hasComma = afterComma !== last.value.end
  const rest = text.slice(afterComma, afterLine)
  const comma = hasComma ? '' : ','
  const added = `${comma}${rest}${newline}${inner}${member(inner, unitOf(text))}${hasComma ? ',' : ''}`
  return splice(text, afterComma, afterLine, added)
}

/** Where the comma after a value ends, if there is one, and the comment on its line. */
function tailOf(text: string, end: number): { afterComma: number; afterLine: number } {
  const comma = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*,/.exec(text.slice(end))
  const afterComma = end + (comma?.[0].length ?? 0)
  const comment = /^[ \t]*(?:\/\*[^\n]*?\*\/[ \t]*)*(?:\/\/[^\r\n]*)?(?=\r?\n)/.exec(text.slice(afterComma))
  return { afterComma, afterLine: afterComma + (comment?.[0].length ?? 0) }
}

/** Of the line. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function unitOf(text: string): string {
  return /\n([ \t]+)"/.exec(text)?.[1] ?? '  '
}
