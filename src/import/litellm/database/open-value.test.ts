import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openValue, saltKeyBytes } from './open-value.ts'

const KEY = saltKeyBytes('sk-salt-example-000000')
const BOX = 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXENU30RhTdnnMzZU0BUulzwe9e-m9AxrQoGD6Eq0N-4j5DWTmcvRvvg=='
const GCM = 'v2:gcm:AAECAwQFBgcICQoLoto54v_9b4Pm0pCugGne-0Pe5Lc05X9bwM6X4s67vetN__IxCAY0Vg=='

const OPENED: [stored: string, text: string][] = [
  [BOX, 'sk-provider-example-1234'],
  [BOX.replaceAll('-', '+').replaceAll('_', '/'), 'sk-provider-example-1234'],
  [
    'AAECAwQFBgcICQoLDA0ODxAREhMUFRYX3BQIZEOKaeznpP-joOyUGhulePyhGgXLq2uncJgw1KTAPkCbCpkXz-M=',
    'os.environ/OPENAI_API_KEY',
  ],
  ['AAECAwQFBgcICQoLDA0ODxAREhMUFRYXCflyIBbRyHVoGNTlOb1Vfw==', ''],
  [GCM, 'sk-provider-example-1234'],
  ['openai/gpt-4o', 'openai/gpt-4o'],
  ['sk-written-before-values-were-sealed', 'sk-written-before-values-were-sealed'],
  ['', ''],
]

for (const [stored, text] of OPENED) {
  test(`'${stored.slice(0, 24)}' is '${text}'`, () => {
    assert.deepEqual(openValue(stored, KEY), { kind: 'text', text })
  })
}

test('what another key sealed, or was changed, is locked', () => {
  for (const stored of [BOX, GCM]) {
    assert.deepEqual(openValue(stored, saltKeyBytes('another')), { kind: 'locked' })
    assert.deepEqual(openValue(stored, null), { kind: 'locked' })
    const changed = `${stored.slice(0, -8)}AAAA${stored.slice(-4)}`
    assert.deepEqual(openValue(changed, KEY), { kind: 'locked' })
  }
  assert.deepEqual(openValue('v2:gcm:AAAA', KEY), { kind: 'locked' })
})
