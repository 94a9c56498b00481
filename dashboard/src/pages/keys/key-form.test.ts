import assert from 'node:assert/strict'
import { test } from 'node:test'
import { localInput } from '../../format/local-input.ts'
import { changedSettings, isReady, keyForm, newKey } from './key-form.ts'

const stored = {
  name: 'ci',
  expires_at: '2030-01-02T03:04:05.678Z',
  allowed_models: ['fast', 'small-*'],
  limits: { rpm: 60, budget: { usd: '2.80', per: 'day', mode: 'hard' } },
} as const
const form = keyForm({ ...stored, allowed_models: [...stored.allowed_models] })

test('a form that nobody touched changes nothing, not even the seconds of a date', () => {
  assert.deepEqual(changedSettings(form, structuredClone(form)), {})
})

test('only what differs is sent, and an emptied setting as null', () => {
  const limits = { ...form.limits, budgetUsd: '' }
  assert.deepEqual(changedSettings(form, { ...form, allowed: [], expires: '', limits }), {
    expires_at: null,
    allowed_models: null,
    limits: { rpm: 60 },
  })
  assert.deepEqual(changedSettings(form, { ...form, limits: { ...limits, rpm: '' } }), { limits: null })
})

test('a period without a budget is no change', () => {
  const bare = keyForm(null)
  assert.deepEqual(changedSettings(bare, { ...bare, limits: { ...bare.limits, per: 'day' } }), {})
})

test('a new key is made of what was filled in', () => {
  const bare = keyForm(null)
  assert.deepEqual(newKey({ ...bare, name: ' ci ' }), { name: 'ci' })
  const expires = localInput('2030-01-02T03:04:00.000Z')
  assert.deepEqual(newKey({ ...bare, name: 'ci', expires, allowed: ['fast'] }), {
    name: 'ci',
    expires_at: '2030-01-02T03:04:00.000Z',
    allowed_models: ['fast'],
  })
})

test('a form without a name, or with a limit that is none, is not sent', () => {
  assert.equal(isReady(form), true)
  assert.equal(isReady({ ...form, name: ' ' }), false)
  assert.equal(isReady({ ...form, limits: { ...form.limits, rpm: '0' } }), false)
})
