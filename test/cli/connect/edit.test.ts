import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { editEnv } from '../../../src/cli/connect/edit/edit-env.ts'
import { editJson } from '../../../src/cli/connect/edit/edit-json.ts'
import { editToml } from '../../../src/cli/connect/edit/edit-toml.ts'
import { editYaml } from '../../../src/cli/connect/edit/edit-yaml.ts'
import type { Editor, Setting } from '../../../src/cli/connect/edit/setting.ts'

type Row = [title: string, before: string, settings: Setting[], after: string]
const at = (path: Setting['path'], value: Setting['value'] = 'new', more: Partial<Setting> = {}): Setting => ({
  path,
  value,
  ...more,
})

const JSON_ROWS: Row[] = [
  ['an empty file', '', [at(['env', 'A'])], '{\n  "env": {\n    "A": "new"\n  }\n}\n'],
  ['an empty object', '{}\n', [at(['a']), at(['b'])], '{\n  "a": "new",\n  "b": "new"\n}\n'],
  [
    'a value that is another one',
    '{\n  "a": "old", // why\n  "b": [1,  2]\n}',
    [at(['a'])],
    '{\n  "a": "new", // why\n  "b": [1,  2]\n}',
  ],
  ['a value that is right', '{ "a" :"new" }', [at(['a'])], '{ "a" :"new" }'],
  ['a default that is there', '{"a": 1}', [at(['a'], 'new', { isDefault: true })], '{"a": 1}'],
  [
    'comments before and after the last member',
    '// top\n{\n\t/* one */ "a": 1 // last\n\t// end\n}\n',
    [at(['b'])],
    '// top\n{\n\t/* one */ "a": 1, // last\n\t"b": "new"\n\t// end\n}\n',
  ],
  [
    'a comma at the end',
    '{\n    "env": {\n        "X": "1",\n    },\n}\n',
    [at(['env', 'A']), at(['b', 'c'], true)],
    '{\n    "env": {\n        "X": "1",\n        "A": "new",\n    },\n    "b": {\n        "c": true\n    },\n}\n',
  ],
  ['an object on one line', '{"env": {"X": 1}}', [at(['env', 'A'])], '{"env": {"X": 1, "A": "new"}}'],
  [
    'lines of Windows',
    '{\r\n  "a": 1\r\n}\r\n',
    [at(['b', 'c'])],
    '{\r\n  "a": 1,\r\n  "b": {\r\n    "c": "new"\r\n  }\r\n}\r\n',
  ],
  ['one name twice: the last', '{"a": "new", "a": "old"}', [at(['a'])], '{"a": "new", "a": "new"}'],
  ['a comment in an empty object', '{ // mine\n}', [at(['a'])], '{ // mine\n  "a": "new"\n}'],
]

const TOML_ROWS: Row[] = [
  [
    'an empty file',
    '',
    [at(['model']), at(['p', 'our', 'url']), at(['p', 'our', 'key'])],
    'model = "new"\n\n[p.our]\nurl = "new"\nkey = "new"\n',
  ],
  [
    'values and comments',
    '# mine\nmodel = \'old\' # why\napproval_policy="never"\n\n[tui]\ntheme = "dark"\n',
    [at(['model']), at(['model_provider'], 'our'), at(['p', 'our', 'url'])],
    '# mine\nmodel = "new" # why\napproval_policy="never"\nmodel_provider = "our"\n\n[tui]\ntheme = "dark"\n\n[p.our]\nurl = "new"\n',
  ],
  ['the same in other quotes', "model = 'new'\n", [at(['model'])], "model = 'new'\n"],
  [
    'only tables',
    '[tui]\nx = 1',
    [at(['model']), at(['p', 'url'])],
    'model = "new"\n\n[tui]\nx = 1\n\n[p]\nurl = "new"\n',
  ],
  [
    'our table, with what else is in it',
    '[p.our] # ours\nurl = "old"\n# hint\nretries = 4\n\n[p.other]\nurl = "x"\n',
    [at(['p', 'our', 'url']), at(['p', 'our', 'key'])],
    '[p.our] # ours\nurl = "new"\n# hint\nretries = 4\nkey = "new"\n\n[p.other]\nurl = "x"\n',
  ],
  [
    'names with dots',
    'p.our.url = "old"\n[t]\n',
    [at(['p', 'our', 'url']), at(['p', 'our', 'key'])],
    'p.our.url = "new"\np.our.key = "new"\n[t]\n',
  ],
  [
    'names with dots in a table',
    '[p]\nour.url = "x"',
    [at(['p', 'our', 'key'])],
    '[p]\nour.url = "x"\nour.key = "new"\n',
  ],
  ['names in quotes', '["p"."our"]\n"url" = "old"\n', [at(['p', 'our', 'url'])], '["p"."our"]\n"url" = "new"\n'],
  [
    'what looks like a table in a text',
    'notes = """\n[p.our]\nurl = "x"\n"""\nlist = [\n  "[p.our]", # no\n]\n',
    [at(['p', 'our', 'url'])],
    'notes = """\n[p.our]\nurl = "x"\n"""\nlist = [\n  "[p.our]", # no\n]\n\n[p.our]\nurl = "new"\n',
  ],
  [
    'the same name in a list of tables',
    '[[x]]\nmodel = "a"\n[[x]]\nmodel = "b"\n',
    [at(['model'])],
    'model = "new"\n\n[[x]]\nmodel = "a"\n[[x]]\nmodel = "b"\n',
  ],
  [
    'lines of Windows',
    'a = 1\r\n[t]\r\n',
    [at(['m']), at(['p', 'u'])],
    'a = 1\r\nm = "new"\r\n[t]\r\n\r\n[p]\r\nu = "new"\r\n',
  ],
]

const YAML_ROWS: Row[] = [
  [
    'an empty file',
    '',
    [
      at(['name']),
      at(['models', { name: 'fast' }, 'model']),
      at(['models', { name: 'fast' }, 'roles'], ['chat', 'edit']),
    ],
    'name: new\nmodels:\n  - name: fast\n    model: new\n    roles: [ chat, edit ]\n',
  ],
  [
    'comments, order and other models',
    '# mine\nname: My setup # no default\n\nmodels:\n  # first\n  - name: other\n    model: x # why\nrules:\n  - be kind\n',
    [at(['name'], 'new', { isDefault: true }), at(['models', { name: 'fast' }, 'model'])],
    '# mine\nname: My setup # no default\n\nmodels:\n  # first\n  - name: other\n    model: x # why\n  - name: fast\n    model: new\nrules:\n  - be kind\n',
  ],
  [
    'lists that are not indented, long lines and quotes',
    `models:\n- name: "fast"\n  model: 'old'\n  note: ${'word '.repeat(40).trim()}\n`,
    [at(['models', { name: 'fast' }, 'model'])],
    `models:\n- name: "fast"\n  model: new\n  note: ${'word '.repeat(40).trim()}\n`,
  ],
  ['an empty list', 'models: []\n', [at(['models', { name: 'a' }, 'model'])], 'models:\n  - name: a\n    model: new\n'],
  ['comments only', '# a\n# b\n', [at(['a'])], '# a\n# b\n\na: new\n'],
  ['nothing after a name', 'models:\n', [at(['models', { name: 'a' }, 'b'])], 'models:\n  - name: a\n    b: new\n'],
  ['what is right', 'a:   new\n', [at(['a'])], 'a:   new\n'],
  ['lines of Windows', 'b: 1\r\n', [at(['a'])], 'b: 1\r\na: new\r\n'],
]

const ENV_ROWS: Row[] = [
  ['an empty file', '', [at(['A'], 'http://x/v1')], 'A=http://x/v1\n'],
  ['other lines', '# mine\nB="1"', [at(['A'], 'a b')], '# mine\nB="1"\nA=\'a b\'\n'],
  ['a value that is another one', 'export A = "old" # why\nB=2\n', [at(['A'])], 'export A = new # why\nB=2\n'],
  ['a value that is right', "A='new'\n", [at(['A'])], "A='new'\n"],
  ['a line within a value', 'B="x\nA=1\n"\n', [at(['A'])], 'B="x\nA=1\n"\nA=new\n'],
]

const EDITORS: [string, Editor, Row[]][] = [
  ['JSON', editJson, JSON_ROWS],
  ['TOML', editToml, TOML_ROWS],
  ['YAML', editYaml, YAML_ROWS],
  ['variables', editEnv, ENV_ROWS],
]

for (const [format, edit, rows] of EDITORS) {
  describe(format, () => {
    for (const [title, before, settings, after] of rows) {
      test(title, () => {
        assert.equal(edit(before, settings).text, after)
        assert.deepEqual(edit(after, settings), { text: after, changes: [] }, 'the second time nothing changes')
      })
    }
  })
}

test('what is changed is said with what was there', () => {
  const model = at(['model'])
  const [before, other] = ['"old"', at(['other'])]
  assert.deepEqual(editToml('model = "old"\nother = "new"\n', [model, other]).changes, [{ setting: model, before }])
  assert.deepEqual(editJson('{"model": "old"}', [model]).changes, [{ setting: model, before }])
  assert.deepEqual(editYaml('model: old\n', [model]).changes, [{ setting: model, before }])
  assert.deepEqual(editEnv('', [model]).changes, [{ setting: model, before: null }])
})

const BROKEN: [Editor, text: string, path: Setting['path'], message: RegExp][] = [
  [editJson, '{\n  "a": 1\n  "b": 2\n}', ['c'], /^line 3: a comma or } was expected$/],
  [editJson, '{\n  "a": tru\n}', ['c'], /^line 2: a value was expected$/],
  [editJson, '{\n  a: 1\n}', ['c'], /^line 2: a name in double quotes was expected$/],
  [editJson, '{"a": {', ['c'], /^line 1: a name in double quotes was expected$/],
  [editJson, '{}\n{}', ['c'], /^line 2: nothing was expected after the end$/],
  [editJson, '{\n  "env": []\n}', ['env', 'A'], /^line 2: env is not an object$/],
  [editJson, '['.repeat(100_000), ['a'], /nested too deeply/],
  [editToml, 'a = 1\nb =\n', ['c'], /^line 2: a value was expected$/],
  [editToml, 'a = 1\nb\n', ['c'], /^line 2: = was expected after b$/],
  [editToml, 'a = "x\n', ['c'], /^line 1: a value was expected$/],
  [editToml, 'a = 1 2\n', ['c'], /^line 1: nothing was expected after the value$/],
  [editToml, '[t]\n[t]\n', ['c'], /^line 2: the table t is there twice$/],
  [editToml, 'a = 1\na = 2\n', ['c'], /^line 2: a is there twice$/],
  [editToml, 'a = [1,\n', ['c'], /^line 2: a value was expected$/],
  [editToml, '[t\n', ['c'], /^line 1: ] was expected/],
  [editToml, '# x\np = { our = { url = "x" } }\n', ['p', 'our', 'url'], /^line 2: p is a value on one line/],
  [editToml, '[[p]]\nx = 1\n', ['p', 'url'], /expected to be one value/],
  [editToml, '\n[model]\nx = 1\n', ['model'], /^line 3: model is expected to be one value$/],
  [editYaml, 'a: 1\nb: [1\n', ['c'], /^line 3: /],
  [editYaml, 'a: 1\na: 2\n', ['c'], /^line 2: Map keys must be unique$/],
  [editYaml, '- a\n', ['c'], /^the file is not a mapping$/],
  [editYaml, 'models: 1\n', ['models', { name: 'a' }, 'b'], /^models is not a list$/],
]
for (const [edit, text, path, message] of BROKEN) {
  test(`${edit.name} names the line: ${JSON.stringify(text.slice(0, 40))}`, () => {
    assert.throws(
      () => edit(text, [at(path)]),
      (error: Error) => (error.name === 'UnreadableFile' && message.test(error.message)) || assert.fail(error),
    )
  })
}
