import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { openSecrets } from './secrets.ts'

const folders: string[] = []
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-secrets-'))
  folders.push(folder)
  return folder
}

const OLD = 'an old key of sixteen'
const NEW = 'a new key of sixteen'
const PLACE = 'API key of the provider "local"'

test('a value comes back, and looks different each time it is encrypted', () => {
  const secrets = openSecrets(newFolder(), [NEW])
  const [first, second] = [secrets.encrypt('sk-Ünicode', PLACE), secrets.encrypt('sk-Ünicode', PLACE)]
  assert.notEqual(first, second)
  assert.ok(!first.includes('sk-'))
  assert.deepEqual(
    [first, second].map((value) => secrets.decrypt(value, PLACE)),
    ['sk-Ünicode', 'sk-Ünicode'],
  )
})

test('rotation: the first key encrypts, all decrypt', () => {
  const folder = newFolder()
  const old = openSecrets(folder, [OLD]).encrypt('value', PLACE)
  const both = openSecrets(folder, [NEW, OLD])
  assert.equal(both.decrypt(old, PLACE), 'value')
  assert.equal(openSecrets(folder, [NEW]).decrypt(both.encrypt('value', PLACE), PLACE), 'value')
})

test('without the key: an error that names the place and what to do', () => {
  const folder = newFolder()
  const old = openSecrets(folder, [OLD]).encrypt('value', PLACE)
  assert.throws(
    () => openSecrets(folder, [NEW]).decrypt(old, PLACE),
    /API key of the provider "local" was encrypted with another key: add that key to SECRETS_KEY/,
  )
})

test('a changed, cut or moved value is refused', () => {
  const secrets = openSecrets(newFolder(), [NEW])
  const sealed = secrets.encrypt('value', PLACE)
  const flipped = sealed.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
  for (const damaged of [flipped, sealed.slice(0, -8), 'v1', 'v1.00000000', '', sealed.replace('v1', 'v2')]) {
    assert.throws(() => secrets.decrypt(damaged, PLACE), /^StoreError: the stored API key/)
  }
  assert.throws(() => secrets.decrypt(sealed, 'API key of the provider "other"'), /provider "other" is damaged/)
})

test('a key file is made once and still decrypts after keys were set', () => {
  const folder = newFolder()
  const sealed = openSecrets(folder, null).encrypt('value', PLACE)
  const file = readFileSync(join(folder, 'secrets.key'), 'utf8')
  assert.equal(openSecrets(folder, null).decrypt(sealed, PLACE), 'value')
  assert.equal(openSecrets(folder, [NEW]).decrypt(sealed, PLACE), 'value')
  assert.equal(readFileSync(join(folder, 'secrets.key'), 'utf8'), file)
})

test('a key that is too short is refused', () => {
  assert.throws(() => openSecrets(newFolder(), [NEW, 'short']), /SECRETS_KEY: each key must have at least 16/)
})

test('a signature holds for its text and context only; all keys verify, the first signs', () => {
  const folder = newFolder()
  const old = openSecrets(folder, [OLD]).sign('text', 'session')
  const both = openSecrets(folder, [NEW, OLD])
  assert.ok(both.isSigned('text', old, 'session'))
  assert.ok(openSecrets(folder, [NEW]).isSigned('text', both.sign('text', 'session'), 'session'))
  assert.ok(!openSecrets(folder, [NEW]).isSigned('text', old, 'session'))
  assert.ok(!both.isSigned('texts', old, 'session'))
  assert.ok(!both.isSigned('text', old, 'other'))
  for (const forged of ['', old.slice(0, -1), `${old}A`, 'x'.repeat(old.length)]) {
    assert.ok(!both.isSigned('text', forged, 'session'), forged)
  }
})
