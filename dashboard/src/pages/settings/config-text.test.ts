import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'yaml'
import { parseFileConfig } from '../../../../src/app/config.ts'
import { readConfigText } from './config-text.ts'

const FILE = `
# \${NOT_A_VALUE} in a comment asks for nothing
providers:
  local: { family: openai, base_url: "\${LOCAL_URL}/v1", api_key: \${LOCAL_KEY} }
workspaces:
  default:
    description: costs $\${5} and $5
    routes:
      fast: { description: "\${LOCAL_KEY} again", chain: [{ provider: local, model: small }] }
`

test('variables are found in values, each once, and filled in as the command line does', () => {
  const environment = { LOCAL_URL: 'http://127.0.0.1:9', LOCAL_KEY: 'k:{b}#c' }
  const read = readConfigText(FILE, parse)
  assert.deepEqual(read.variables, ['LOCAL_URL', 'LOCAL_KEY'])
  const expected = parseFileConfig(FILE, 'file', environment)
  const filled = read.filled(environment) as typeof expected
  assert.deepEqual(filled.providers, expected.providers)
  assert.equal(filled.workspaces['default']?.routes['fast']?.description, 'k:{b}#c again')
  assert.equal(filled.workspaces['default']?.description, 'costs $${5} and $5')
})

test('$${NAME} is the text itself', () => {
  const read = readConfigText('a: "$${HOME}"', parse)
  assert.deepEqual([read.variables, read.filled({ HOME: 'x' })], [[], { a: '${HOME}' }])
})

test('JSON is read too', () => assert.deepEqual(readConfigText('{"registry":[]}', parse).filled({}), { registry: [] }))

test('a mistake is one line, in the words of the file', () => {
  assert.throws(
    () => readConfigText('a: [${X}', parse),
    (error: Error) => {
      assert.doesNotMatch(error.message, /⟦|\n/)
      return true
    },
  )
})
