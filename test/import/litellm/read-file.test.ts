import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readLitellmFile } from '../../../src/import/litellm/read-file.ts'

const read = (files: Record<string, string>) =>
  readLitellmFile('/etc/config.yaml', (path) => {
    const text = files[path.replace('/etc/', '')]
    if (text === undefined) throw new Error('there is no such file')
    return text
  })

const model = 'model_list: [{ model_name: a, litellm_params: { model: openai/gpt-4o } }]'

describe('a file that cannot be read is refused with its place, and no text of it', () => {
  const cases: [string, Record<string, string>, string][] = [
    ['broken YAML', { 'config.yaml': 'model_list:\n  - {api_key: sk-secret\nx: y' }, 'config.yaml:3:1: not YAML: '],
    ['a list', { 'config.yaml': '- a' }, 'config.yaml: expected the settings of LiteLLM, a mapping of names'],
    ['nothing', { 'config.yaml': '' }, 'config.yaml: expected the settings of LiteLLM, a mapping of names'],
    [
      'an include of itself',
      { 'config.yaml': 'include: [config.yaml]' },
      'config.yaml:1: config.yaml is included twice',
    ],
    [
      'a cycle of two',
      { 'config.yaml': 'include:\n  - b.yaml', 'b.yaml': 'include: [c.yaml]', 'c.yaml': 'a: 1\ninclude: [b.yaml]' },
      'c.yaml:2: b.yaml is included twice, or includes itself',
    ],
    [
      'a missing include',
      { 'config.yaml': 'a: 1\ninclude: [no.yaml]' },
      'config.yaml:2: the included file no.yaml cannot be read',
    ],
    ['an include that is no list', { 'config.yaml': 'include: b.yaml' }, 'config.yaml:1: include is a list of files'],
    [
      'a model list that is none',
      { 'config.yaml': 'model_list: { a: 1 }' },
      'config.yaml:1: model_list is not a list of mappings',
    ],
    [
      'a model without a name',
      { 'config.yaml': 'model_list:\n  - litellm_params: {}' },
      'config.yaml:2: model_list[0] needs a model_name',
    ],
    [
      'a section that is none',
      { 'config.yaml': 'router_settings: [1]' },
      'config.yaml:1: router_settings is not a mapping',
    ],
    ['a ConfigMap', { 'config.yaml': 'kind: ConfigMap' }, 'config.yaml is a ConfigMap of Kubernetes'],
    ['aliases without end', { 'config.yaml': bomb() }, 'config.yaml: not YAML: '],
  ]
  for (const [name, files, start] of cases) {
    test(name, async () => {
      await assert.rejects(read(files), (error: Error) => {
        assert.equal(error.name, 'ImportError')
        assert.equal(error.message.slice(0, start.length), start)
        assert.doesNotMatch(error.message, /sk-secret/)
        return true
      })
    })
  }
})

/** Each line has nine times the one before. */
function bomb(): string {
  const lines = Array.from(
    { length: 9 },
    (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`)}]`,
  )
  return ['a0: &a0 [x]', ...lines].join('\n')
}

test('a finding has the line of its setting, in the file that it is from', async () => {
  const files = {
    'config.yaml': 'include: [more.yaml]\nmodel_list:\n  - model_name: a\n    litellm_params:\n      model: x',
    'more.yaml':
      'model_list:\n  - model_name: b\n    litellm_params:\n      model: y\nrouter_settings:\n  num_retries: 1',
  }
  const { models, router } = await read(files)
  assert.deepEqual(
    models.map(({ name, at }) => [name, at('litellm_params.model')]),
    [
      ['a', 'config.yaml:5'],
      ['b', 'more.yaml:4'],
    ],
  )
  assert.equal(router.at('num_retries'), 'more.yaml:6')
})

test('a file without anything but models is enough', async () => {
  const { models, general } = await read({ 'config.yaml': model })
  assert.deepEqual([models.length, general.values], [1, {}])
})
