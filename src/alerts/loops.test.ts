import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DEFAULT_RULES } from '../domain/alerts/rules.ts'
import { type LoopRow, loopConditions } from './loops.ts'

const row = (more: Partial<LoopRow> = {}): LoopRow => ({
  ...{ workspace: 'default', keyId: 'k', session: 's', signal: 'same_tool_call', code: null },
  ...more,
})
const found = (...rows: LoopRow[]) => loopConditions(rows, DEFAULT_RULES.loop)

describe('loops', () => {
  test('are one alert for each session and signal, that says what was done', () => {
    const conditions = found(
      row(),
      row({ code: 'loop_stopped' }),
      row(),
      row({ signal: 'calls_a_minute', code: 'loop_slowed' }),
      row({ session: 't' }),
      row({ keyId: 'l' }),
    )
    assert.deepEqual(
      conditions.map(({ severity, summary, isOnce }) => [severity, summary, isOnce]),
      [
        ['critical', 'session s in default repeats the same tool call: it was stopped', true],
        ['warning', 'session s in default makes more calls a minute than allowed: it was slowed down', true],
        ['warning', 'session t in default repeats the same tool call: its calls pass', true],
        ['warning', 'session s in default repeats the same tool call: its calls pass', true],
      ],
    )
    assert.equal(new Set(conditions.map(({ identity }) => identity)).size, 4)
  })

  test('of sessions without a name are told again each time', () => {
    assert.deepEqual(
      found(row({ session: null })).map(({ isOnce, subject }) => [isOnce, subject]),
      [[false, 'sessions without a name']],
    )
  })

  test('are not told where the rule is off', () => {
    assert.deepEqual(loopConditions([row()], { enabled: false }), [])
  })
})
