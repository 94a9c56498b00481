import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { scrubMessage } from './errors.ts'
import { headerWords, type Provider, withoutSecrets } from './provider.ts'

const PROVIDER: Provider = {
  name: 'local',
  family: 'openai',
  baseUrl: null,
  apiKey: 'Zq7secretkey',
  headers: { 'x-org': 'Zq7organisation', authorization: 'Bearer Zq7behindscheme', 'x-short': 'eu' },
  onCallerLeft: 'abort',
}

describe('a message of a provider', () => {
  for (const [words, shown] of [
    ['sent Zq7secretkey', 'sent [redacted]'],
    ['Zq7organisation in eu', '[redacted] in eu'],
    ['Bearer Zq7behindscheme and Zq7behindscheme', '[redacted] and [redacted]'],
  ] as const) {
    test(`${words}: ${shown}`, () => assert.equal(withoutSecrets(words, PROVIDER), shown))
  }

  test('is scanned once, however long', { timeout: 60_000 }, () => {
    for (const letter of ['a', '*a', 'sk-', 'Bearer ', '-', '*** ', 'a*']) scrubMessage(letter.repeat(1_000_000))
    assert.equal(scrubMessage('key abc-de****fg, sk-ab****yz x***'), 'key [redacted], [redacted] x***')
  })
})

describe('a header of a provider', () => {
  for (const [words, shown] of [
    ['req_011CSHoEeqs5C35K2UUqR7Fy', 'req_011CSHoEeqs5C35K2UUqR7Fy'],
    ['Zq7secretkey', '[redacted]'],
    ['Zq7\xa0secret\tkey', '[redacted]'],
    ['sk-ant-api03-abcdef', '[redacted]'],
    ['\xfc\t', ''],
    [`${'x'.repeat(192)}Zq7secretkey`, `${'x'.repeat(192)}[redacte`],
    ['y'.repeat(10_000), 'y'.repeat(200)],
  ] as const) {
    test(`${words.slice(0, 40)} is kept as ${shown.slice(0, 40)}`, () => {
      assert.equal(headerWords(words, PROVIDER), shown)
    })
  }
})
