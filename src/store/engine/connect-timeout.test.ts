import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectTimeoutMs } from './connect-timeout.ts'

const cases: [url: string, ms: number][] = [
  ['postgres://a@b/c', 5_000],
  ['postgres://a@b/c?connect_timeout=60', 60_000],
  ['postgres://a@b/c?sslmode=require&connect_timeout=7', 7_000],
  ['postgres://a@b/c?connect_timeout=0', 5_000],
  ['postgres://a@b/c?connect_timeout=soon', 5_000],
]

for (const [url, ms] of cases) test(`${url}: ${ms} ms`, () => assert.equal(connectTimeoutMs(url), ms))
