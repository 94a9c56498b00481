import assert from 'node:assert/strict'
import type { CrashReport } from './crash.ts'

/** Every promise was kept, and there was something to break each of them. */
export function assertKept({ problems, missing, unknown, open, covered: _covered, ...happened }: CrashReport): void {
  assert.deepEqual(problems, [])
  assert.deepEqual([missing, unknown, open], [0, 0, 0])
  // Whether a sample falls between a bill and its booking is chance: what is covered is not asked for.
  assert.ok(
    Object.values(happened).every((count) => count > 0),
    JSON.stringify(happened),
  )
}
