import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billingModel } from './models.ts'
import { bareName } from './steps/quantity.ts'

const LISTED: Readonly<Record<string, string>> = { m1: 'm1', 'm1-latest': 'm1' }
const names = {
  listed: (name: string) => LISTED[name] ?? null,
  mapped: (name: string) => (name === 'odd' ? 'm1' : null),
}

const rows: [raw: string, billed: string][] = [
  ['m1', 'm1'],
  ['m1-latest', 'm1'],
  ['models/m1', 'm1'],
  ['us.vendor.m1', 'm1'],
  ['arn:aws:bedrock:us-east-1:1:inference-profile/us.vendor.m1', 'm1'],
  ['odd', 'm1'],
  ['m1-2026-05-01', 'm1-2026-05-01'],
  ['unknown', 'unknown'],
]
for (const [raw, billed] of rows) test(`${raw} bills ${billed}`, () => assert.equal(billingModel(raw, names), billed))

const bare: [name: string, expected: string][] = [
  ['m1-2026-05-01', 'm1'],
  ['m1-20260501', 'm1'],
  ['m1@20260501', 'm1'],
  ['m1-20260501-v1:0', 'm1'],
  ['m1-v2', 'm1'],
  ['m1', 'm1'],
]
for (const [name, expected] of bare)
  test(`${name} without its date is ${expected}`, () => assert.equal(bareName(name), expected))
