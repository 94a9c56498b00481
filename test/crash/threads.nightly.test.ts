import { test } from 'node:test'
import { assertKept } from './assert-kept.ts'
import { crashTest } from './crash.ts'

test('a gateway with four serving threads is killed under load, again and again', { timeout: 600_000 }, async () => {
  assertKept(await crashTest({ rounds: 6, seed: 9, concurrency: 12, engine: 'sqlite', threads: 4 }))
})
