import { type Document, isAlias, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { isJsonObject, type JsonObject } from '../../domain/request/call-request.ts'
import { ImportError } from './import-error.ts'

export interface ReadDocument {
  value: JsonObject
  /** `model_list[0].model_name` → `config.yaml:3` */
  lines: Map<string, string>
}

/** LiteLLM reads YAML 1.1: merge keys, `yes` and `on`, and of two equal keys the last. */
const OPTIONS = { version: '1.1', merge: true, uniqueKeys: false } as const

export function readDocument(text: string, file: string): ReadDocument {
  const lineCounter = new LineCounter()
  const document = parseDocument(text, { ...OPTIONS, lineCounter })
  const [error] = document.errors
  if (error !== undefined) {
    const { line, col } = lineCounter.linePos(error.pos[0])
    // The rest of the message quotes the file, which may hold a secret.
    const problem = (error.message.split('\n')[0] ?? '').replace(/ at line \d+, column \d+:?$/, '')
    throw new ImportError(`${file}:${line}:${col}: not YAML: ${problem}`)
  }
  const value = jsOf(document, file)
  if (!isJsonObject(value)) throw new ImportError(`${file}: expected the settings of LiteLLM, a mapping of names`)
  const lines = new Map<string, string>()
  const place = (node: Node | null) => {
    const start = node?.range?.[0]
    return start === undefined ? null : `${file}:${lineCounter.linePos(start).line}`
  }
  note(document.contents, { path: '', document, lines, place, depth: 0 })
  return { value, lines }
}

/** Aliases that expand without end are refused by the parser. */
function jsOf(document: Document, file: string): unknown {
  try {
    return document.toJS()
  } catch (error) {
    throw new ImportError(`${file}: not YAML: ${error instanceof Error ? error.message.split('\n')[0] : 'unreadable'}`)
  }
}

export function inside(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`
}

interface Walk {
  path: string
  document: Document
  lines: Map<string, string>
  place(node: Node | null): string | null
  depth: number
}

/** Deeper ones have the line of what they are in. */
const MOST_DEPTH = 20

function note(node: unknown, walk: Walk): void {
  const { path, document, lines, place } = walk
  if (walk.depth > MOST_DEPTH) return
  if (isAlias(node)) note(node.resolve(document), { ...walk, depth: walk.depth + 1 })
  if (isSeq(node)) {
    for (const [index, item] of node.items.entries()) {
      const at = `${path}[${index}]`
      const found = place(item as Node)
      if (found !== null) lines.set(at, found)
      note(item, { ...walk, path: at, depth: walk.depth + 1 })
    }
  }
  if (!isMap(node)) return
  for (const pair of node.items) {
    if (!isPair(pair) || !isScalar(pair.key)) continue
    const isMerge = pair.key.value === '<<' || typeof pair.key.value === 'symbol'
    const key = isMerge ? path : inside(path, String(pair.key.value))
    const found = place(pair.key)
    if (found !== null && !isMerge) lines.set(key, found)
    for (const value of isMerge && isSeq(pair.value) ? pair.value.items : [pair.value])
      note(value, { ...walk, path: key, depth: walk.depth + 1 })
  }
}
