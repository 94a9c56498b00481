import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { importersOf, sources } from './imports.ts'

/** A step that can spend takes an `Admitted`, which admit.ts makes after it has asked the ledger. */
describe('nothing that can spend goes around admission', () => {
  const filesWith = (text: RegExp) =>
    sources.filter((file) => file.startsWith('src/') && text.test(readFileSync(file, 'utf8'))).sort()

  test('only admit makes an admitted call; the stages after it are made of one', () => {
    assert.deepEqual(filesWith(/\badvance<Admitted\b|\bas (unknown as )?(Admitted|Served|Priced)\b/), [
      'src/calls/admit.ts',
      // It holds the price of a call, asks once, and has no chain.
      'src/calls/passthrough/handle-passthrough.ts',
    ])
    assert.deepEqual(filesWith(/\badvance<(Served|Priced)\b/), [
      'src/calls/passthrough/handle-passthrough.ts',
      'src/calls/price.ts',
      'src/calls/try-chain.ts',
    ])
    for (const taken of [
      /function tryChain\(\s*call: Admitted\b/,
      /function tryEntry\([^)]*\bcall: Admitted\b/,
      /function askStream\([^)]*\bcall: Admitted\b/,
      /function price\(\s*call: Served\b/,
    ])
      assert.equal(filesWith(taken).length, 1, String(taken))
  })

  test('only an attempt sends the body of a call to a provider', () => {
    assert.deepEqual(filesWith(/\bupstream\s*\.(exchange|call)\(/), [
      // Webhooks.
      'src/app/open-alerts.ts',
      // Access tokens of providers, and sign-in.
      'src/app/open-upstream.ts',
      // The question whether a path is there: `{}`, which can only be refused, so nothing is spent.
      'src/calls/chain/spoken-formats.ts',
      'src/calls/guardrail/ask.ts',
      // An operator's trial of a provider, with a prompt of ours: no key pays, and the audit log has it before it is made.
      'src/calls/models/try-provider.ts',
      // Admitted there, by its own price.
      'src/calls/passthrough/handle-passthrough.ts',
      'src/calls/stream/ask-stream.ts',
      'src/calls/try-entry.ts',
      // GET of the list of models.
      'src/providers/ask-models.ts',
    ])
  })

  test('one kernel admits, and walks along the chain', () => {
    assert.deepEqual(importersOf('admit', 'src/calls/admit.ts'), ['src/calls/handle-call.ts'])
    assert.deepEqual(importersOf('tryChain', 'src/calls/try-chain.ts'), ['src/calls/handle-call.ts'])
    assert.deepEqual(importersOf('tryEntry', 'src/calls/try-entry.ts').sort(), [
      'src/calls/hedge/try-hedged.ts',
      'src/calls/try-chain.ts',
    ])
    assert.deepEqual(importersOf('tryHedged', 'src/calls/hedge/try-hedged.ts'), ['src/calls/try-chain.ts'])
  })

  test('a call in the name of a key goes through that very kernel', () => {
    assert.deepEqual(importersOf('handleCall', 'src/calls/handle-call.ts').sort(), [
      'src/app/http-routes.ts',
      'src/calls/try-call.ts',
    ])
  })
})
