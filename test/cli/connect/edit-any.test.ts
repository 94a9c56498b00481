import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, stringify } from 'yaml'
import { editJson } from '../../../src/cli/connect/edit/edit-json.ts'
import { editToml } from '../../../src/cli/connect/edit/edit-toml.ts'
import { editYaml } from '../../../src/cli/connect/edit/edit-yaml.ts'
import { type Edited, type Editor, type Setting, UnreadableFile } from '../../../src/cli/connect/edit/setting.ts'
import { readToml } from '../../../src/cli/connect/edit/toml-lines.ts'
import { plainText } from '../../../src/cli/connect/edit/toml-reader.ts'
import { fc } from '../../property.ts'

/** Few names, so that ours are often there already. */
const NAMES = ['a', 'b', 'model', 'env', 'a b', 'ä.ö', '"', '']
const name = fc.constantFrom(...NAMES)
const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constantFrom('new', '# no', '// no', '[x]', 'a\nb', '"""'),
)
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(name, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
}))
const file = fc.dictionary(name, tree, { maxKeys: 5, noNullPrototype: true })
const setting: fc.Arbitrary<Setting> = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  value: fc.oneof(fc.string(), fc.boolean()),
})
const settings = fc.array(setting, { minLength: 1, maxLength: 4 }).filter(areApart)

/** None is within another. */
function areApart(all: readonly Pick<Setting, 'path'>[]): boolean {
  return all.every(({ path }, index) =>
    all.every(({ path: other }, at) => at === index || !path.every((step, depth) => other[depth] === step)),
  )
}

type Tree = Record<string, unknown>

/** The same with our values in it; null: one of them has no place there. */
function merged(before: Tree, all: readonly Setting[]): Tree | null {
  const result: Tree = structuredClone(before)
  for (const { path, value } of all) {
    let node: Tree = result
    for (const step of path.slice(0, -1).map(String)) {
      if (!Object.hasOwn(node, step)) node[step] = {}
      const next = node[step]
      if (typeof next !== 'object' || next === null || Array.isArray(next)) return null
      node = next as Tree
    }
    node[String(path.at(-1))] = value
  }
  return result
}

function assertMerged(
  edit: Editor,
  text: string,
  all: readonly Setting[],
  expected: Tree | null,
  read: (text: string) => unknown,
) {
  if (expected === null) {
    assert.throws(() => edit(text, all), UnreadableFile)
    return
  }
  const after = edit(text, all).text
  assert.deepEqual(read(after), expected, after)
  assert.deepEqual(edit(after, all), { text: after, changes: [] })
}

const noted = (text: string) => text.replaceAll(/([\]}"\w])\n/g, '$1 /* so */\n').replaceAll('{\n', '{ // why\n')
const LAYOUTS: ((value: Tree) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value, null, 2),
  (value) => `${JSON.stringify(value, null, '\t')}\n`.replaceAll('\n', '\r\n'),
]

test('any JSON keeps its values and gets ours', () => {
  fc.assert(
    fc.property(file, settings, fc.constantFrom(...LAYOUTS), (before, all, layout) => {
      assertMerged(editJson, layout(before), all, merged(before, all), JSON.parse)
    }),
    { numRuns: 500 },
  )
})

test('any JSON with comments keeps them, and gets ours', () => {
  fc.assert(
    fc.property(file, settings, (before, all) => {
      // Texts without a sign of a comment, so that taking them out is simple.
      const plain = JSON.parse(JSON.stringify(before).replaceAll(/[/*]/g, '')) as Tree
      const text = noted(JSON.stringify(plain, null, 2))
      const expected = merged(plain, all)
      const bare = (each: string) => JSON.parse(each.replaceAll(' // why\n', '\n').replaceAll(' /* so */\n', '\n'))
      if (all.some(({ value }) => /[/*]/.test(String(value)))) return
      const count = (each: string) => each.split(/ \/\/ why|\/\* so \*\//).length
      assertMerged(editJson, text, all, expected, bare)
      // A value that is replaced takes the comments within it along.
      const isReplaced = expected !== null && editJson(text, all).changes.some(({ before: was }) => was?.includes('\n'))
      if (expected !== null && !isReplaced) assert.equal(count(editJson(text, all).text), count(text))
    }),
    { numRuns: 500 },
  )
})

test('any YAML keeps its values and gets ours', () => {
  fc.assert(
    fc.property(file, settings, fc.boolean(), (before, all, indentSeq) => {
      assertMerged(editYaml, stringify(before, { indentSeq }), all, merged(before, all), parse)
    }),
    { numRuns: 300 },
  )
})

/** A file of tables and of names with dots, as people write it. */
const tomlName = fc.constantFrom('a', 'b', 'model', 'env')
const tomlValue = fc.oneof(
  fc.string().map((text) => JSON.stringify(text).replaceAll('\u007f', '')),
  fc.constantFrom(
    "'x # y'",
    '"""\n[a]\nb = 1\n"""',
    "'''a'''",
    '1',
    '-0.5e3',
    'true',
    '1979-05-27 07:32:00Z',
    '[1, [2],\n # c\n 3,]',
    '{ x = 1, y.z = "}" }',
  ),
)
const tomlLine = fc.record({
  dots: fc.array(tomlName, { minLength: 1, maxLength: 2 }),
  value: tomlValue,
  tail: fc.constantFrom('', ' # why', '   ', '\n\n# note'),
})
const tomlTable = fc.record({
  name: fc.array(tomlName, { minLength: 1, maxLength: 3 }),
  lines: fc.array(tomlLine, { maxLength: 3 }),
})
const tomlFile = fc
  .record({
    root: fc.array(tomlLine, { maxLength: 4 }),
    tables: fc.array(tomlTable, { maxLength: 4 }),
    end: fc.constantFrom('', '\n'),
  })
  .map(({ root, tables, end }) => {
    const taken = new Set<string>()
    /** No name is defined twice, nor both a value and a table. */
    const isFree = (path: readonly string[]) => {
      const full = path.join('.')
      const isTaken = [...taken].some(
        (other) => other === full || other.startsWith(`${full}.`) || full.startsWith(`${other}.`),
      )
      if (!isTaken) taken.add(full)
      return !isTaken
    }
    const lines = (path: readonly string[], all: readonly { dots: string[]; value: string; tail: string }[]) =>
      all
        .filter(({ dots }) => isFree([...path, ...dots]))
        .map(({ dots, value, tail }) => `${dots.join('.')} = ${value}${tail}`)
    const text = lines([], root)
    const headers = new Set<string>()
    for (const table of tables) {
      const header = table.name.join('.')
      const isDefined =
        headers.has(header) ||
        [...taken].some((other) => other === header || other.startsWith(`${header}.`) || header.startsWith(`${other}.`))
      if (isDefined) continue
      headers.add(header)
      text.push(`[${header}]`, ...lines(table.name, table.lines))
    }
    return text.join('\n') + end
  })

/** Every value as it is written, by its path. */
function tomlValues(text: string): Map<string, string> {
  return new Map(
    readToml(text).entries.map(({ path, valueStart, valueEnd }) => [path.join('.'), text.slice(valueStart, valueEnd)]),
  )
}

test('any TOML keeps its lines and gets ours', () => {
  fc.assert(
    fc.property(
      tomlFile,
      fc
        .array(fc.record({ path: fc.array(tomlName, { minLength: 1, maxLength: 3 }), value: fc.string() }), {
          minLength: 1,
          maxLength: 3,
        })
        .filter(areApart),
      (text, all) => {
        let edited: Edited
        try {
          edited = editToml(text, all)
        } catch (error) {
          assert.ok(error instanceof UnreadableFile && /one value|one line/.test(error.message), `${error} in\n${text}`)
          return
        }
        const after = edited.text
        const expected = tomlValues(text)
        const ours = new Map(all.map(({ path, value }) => [path.join('.'), value]))
        const values = tomlValues(after)
        for (const [path, value] of ours) {
          assert.equal(plainText(values.get(path) ?? ''), value, after)
          expected.delete(path)
          values.delete(path)
        }
        assert.deepEqual(values, expected, after)
        if (edited.changes.some(({ before }) => before?.includes('\n'))) return
        // Line by line what was there is there, in its order.
        const kept = after.split('\n')
        let at = 0
        for (const line of text.split('\n')) {
          const isOurs = [...ours.keys()].some((path) => line.split(' =')[0]?.endsWith(path.split('.').at(-1) ?? ''))
          if (isOurs) continue
          at = kept.indexOf(line, at)
          assert.notEqual(at, -1, `${line} in\n${after}`)
        }
        assert.deepEqual(editToml(after, all), { text: after, changes: [] })
      },
    ),
    { numRuns: 500 },
  )
})
