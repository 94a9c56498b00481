import type { Random } from '../../simulator/random.ts'

/** What parsers of HTTP have stumbled over. */
const TEXTS = ['\r\n', '\n', '\r', '\r\r\n', ' ', '\t', '\0', ':', ',', ';', '\x7f', '\x80', '\xff', '\v', '\r\n ', '0']

/** Changes a few places of a text (Latin-1) by chance; `lines` are put in as they are. */
export function mutated(text: string, lines: readonly string[], random: Random): string {
  const below = (limit: number) => Math.floor(random() * limit)
  const one = (list: readonly string[]) => list[below(list.length)] ?? ''
  let result = text
  for (let times = below(4); times >= 0; times -= 1) {
    const at = below(result.length + 1)
    const to = at + below(8)
    const [before, after] = [result.slice(0, at), result.slice(at)]
    const lineEnd = result.indexOf('\r\n', at) + 2
    const changes = [
      () => before + String.fromCharCode(below(256)) + after.slice(1),
      () => before + one(TEXTS) + after,
      () => before + after.slice(to - at),
      () => before + result.slice(at, to) + after,
      () => result.slice(0, lineEnd) + one(lines) + result.slice(lineEnd),
      () => result.slice(0, lineEnd) + one(lines) + result.slice(lineEnd),
      () => (below(8) === 0 ? result.replaceAll('\r\n', '\n') : result.replace('\r\n', one(TEXTS))),
      () => (below(4) === 0 ? before : before + after.charAt(0).toUpperCase() + after.slice(1)),
    ]
    result = changes[below(changes.length)]?.() ?? result
  }
  return result
}
