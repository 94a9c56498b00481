import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { PROOFS } from '../../prove/prove.ts'
import { FAULTS } from '../../scripts/planted-faults/faults.ts'

test('every fault can be planted where it says, and belongs to a proof', () => {
  const names = new Set<string>()
  for (const { name, proof, file, instead, write } of FAULTS) {
    assert.equal(readFileSync(file, 'utf8').split(instead).length, 2, `${file}: ${instead}`)
    assert.notEqual(instead, write)
    assert.ok(
      PROOFS.some(({ id }) => id === proof),
      `${name}: ${proof}`,
    )
    names.add(name)
  }
  assert.equal(names.size, FAULTS.length)
  for (const { id } of PROOFS)
    assert.ok(
      FAULTS.some(({ proof }) => proof === id),
      `no fault for ${id}`,
    )
})
