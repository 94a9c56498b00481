import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keySearch } from './key-search.ts'

for (const [text, searched] of [
  [' nightly ', 'nightly'],
  ['gw_live_AbCdEfGhIjKlMnOpQrStUvWx', 'gw_live_AbCd'],
  ['GW_LIVE_abcdEFGH', 'GW_LIVE_abcd'],
  ['gw_live_', 'gw_live_'],
] as const) {
  test(`${text} is searched for as ${searched}`, () => assert.equal(keySearch(text), searched))
}
