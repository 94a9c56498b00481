import { type Document, isMap, isSeq, parseDocument, type YAMLMap } from 'yaml'
import { newlineOf, oneByOne, problemAt, type Step, shownPath, UnreadableFile } from './setting.ts'

/** Comments, order and everything unknown stay; a layout that the library does not write is changed to its own. */
export const editYaml = oneByOne((text, { path, value, isDefault }) => {
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw problemAt(text, error.pos[0], error.message.split(/[.:]? at line|\n/)[0] ?? '')
  const layout = layoutOf(text)
  document.contents ??= document.createNode({}) as never
  if (isMap(document.contents) && document.contents.items.length === 0) document.contents.flow = false
  const { parent, name } = placeOf(document, path)
  const isThere = parent.has(name)
  const before = isThere ? JSON.stringify(parent.toJS(document)[name]) : null
  if (isThere && (isDefault || before === JSON.stringify(value))) return null
  parent.set(name, document.createNode(value, { flow: Array.isArray(value) }))
  return { text: document.toString(layout).replaceAll('\n', newlineOf(text)), before }
})

const LAYOUTS = [
  { lineWidth: 0, indentSeq: true },
  { lineWidth: 0, indentSeq: false },
  { lineWidth: 0, indentSeq: true, flowCollectionPadding: false },
  { lineWidth: 0, indentSeq: false, flowCollectionPadding: false },
]

/** In which the file is written as it is, where there is one. */
function layoutOf(text: string) {
  const plain = text.replaceAll('\r\n', '\n')
  return LAYOUTS.find((layout) => parseDocument(plain).toString(layout) === plain) ?? LAYOUTS[0]
}

function placeOf(document: Document, path: readonly Step[]): { parent: YAMLMap; name: string } {
  let node: unknown = document.contents
  for (const [depth, step] of path.entries()) {
    const here = depth === 0 ? 'the file' : shownPath(path.slice(0, depth))
    const next = path[depth + 1]
    if (typeof step !== 'string') {
      if (!isSeq(node)) throw new UnreadableFile(`${here} is not a list`)
      let item: unknown = node.items.find((each) => isMap(each) && each.get('name') === step.name)
      if (item === undefined) {
        if (node.items.length === 0) node.flow = false
        item = document.createNode({ name: step.name })
        node.items.push(item)
      }
      node = item
      continue
    }
    if (!isMap(node)) throw new UnreadableFile(`${here} is not a mapping`)
    if (next === undefined) return { parent: node, name: step }
    if (node.get(step) == null) node.set(step, document.createNode(typeof next === 'string' ? {} : []))
    node = node.get(step, true)
  }
  throw new UnreadableFile('a setting ends with a name')
}
