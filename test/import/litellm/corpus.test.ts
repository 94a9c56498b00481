import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { stringify } from 'yaml'
import { parseFileConfig } from '../../../src/app/config.ts'
import { providerProblem } from '../../../src/domain/file-config.ts'
import { leavesOf } from '../../../src/import/litellm/notes.ts'
import { PROVIDER_KINDS } from '../../../src/providers/provider-kinds.ts'
import { CORPUS, filledFor, goldenPath, goldenText, importCorpus } from './corpus.ts'
import { KEYS } from './keys.ts'

const imported = new Map(await Promise.all(CORPUS.map(async (file) => [file, await importCorpus(file)] as const)))

describe('every file of the corpus becomes the expected switchyard.yaml and report', () => {
  for (const [file, result] of imported) {
    test(file, () => {
      // To write them again: node test/import/litellm/write-expected.ts --write
      assert.equal(goldenText(result), readFileSync(goldenPath(file), 'utf8'))
    })
  }
})

test('the gateway accepts what was written', () => {
  for (const [file, { config, variables }] of imported) {
    const parsed = parseFileConfig(stringify(config), file, filledFor(variables))
    assert.equal(providerProblem(parsed, [], PROVIDER_KINDS), null, file)
  }
})

/** The path itself, and everything that it is in. */
function around(path: string): string[] {
  const cut = Math.max(path.lastIndexOf('.'), path.lastIndexOf('['))
  return cut <= 0 ? [path] : [path, ...around(path.slice(0, cut))]
}

test('every setting has a finding, and no path has two', () => {
  for (const [file, { source, findings }] of imported) {
    const paths = new Set(findings.filter((finding) => finding.source !== '').map(({ path }) => path))
    assert.equal(paths.size, findings.filter((finding) => finding.source !== '').length, file)
    const missing = leavesOf(source).filter(({ path }) => !around(path).some((each) => paths.has(each)))
    assert.deepEqual(missing, [], file)
  }
})

test('every setting of LiteLLM that the import knows is in some file', () => {
  const paths = new Set(
    [...imported.values()].flatMap(({ source }) => leavesOf(source)).flatMap(({ path }) => path.split(/[.[\]]+/)),
  )
  assert.deepEqual(
    KEYS.filter((key) => !paths.has(key)),
    [],
  )
})

test('a known setting is never reported as unknown', () => {
  const unknown = [...imported.values()].flatMap(({ findings }) =>
    findings.filter(({ message }) => message.startsWith('not a setting')),
  )
  const names = new Set(unknown.map(({ path }) => path.split('.').at(-1) ?? ''))
  assert.deepEqual(
    KEYS.filter((key) => names.has(key)).filter((key) => !['api_key', 'timeout', 'max_tokens'].includes(key)),
    [],
  )
})

test('no secret is in a file, a finding or the name of a variable', () => {
  for (const [file, { config, findings, variables, masterKey }] of imported) {
    const shown = JSON.stringify({ config, findings, names: variables.map(({ name, why }) => [name, why]), masterKey })
    assert.doesNotMatch(shown, /corpus-secret/, file)
    assert.doesNotMatch(
      goldenText({ ...imported.get(file), config, findings, variables } as never),
      /corpus-secret/,
      file,
    )
  }
  const kept = imported
    .get('17-literal-secrets.yaml')
    ?.variables.filter(({ secret }) => secret?.includes('corpus-secret'))
  assert.equal(kept?.length, 7)
})
