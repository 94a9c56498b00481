import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fieldProblem, otherProblem } from './field-problem.ts'

const error = (message: string) => ({ message })

test('what the gateway says of a field stands at that field', () => {
  assert.equal(fieldProblem(error('base_url: the address is missing'), 'base_url'), 'the address is missing')
  assert.equal(fieldProblem(error('headers.x y: not a header name'), 'headers'), 'x y: not a header name')
  assert.equal(fieldProblem(error('tiers[0].input_per_mtok: not a price'), 'tiers'), '[0].input_per_mtok: not a price')
  assert.equal(fieldProblem(error('headers_too: no'), 'headers'), undefined)
  assert.equal(fieldProblem(null, 'headers'), undefined)
})

test('what belongs to no field stands below the form', () => {
  assert.equal(otherProblem(error('family: one of a, b'), ['family']), null)
  assert.equal(otherProblem(error("'x' is set elsewhere"), ['family']), "'x' is set elsewhere")
  assert.equal(otherProblem(null, ['family']), null)
})
