import assert from 'node:assert/strict'
import { test } from 'node:test'
import { steadyClock } from './steady-clock.ts'

function clocks() {
  const machine = { wall: 1_000_000, tick: 50 }
  const clock = steadyClock(
    () => Math.floor(machine.wall),
    () => machine.tick,
  )
  const pass = (ms: number) => {
    machine.wall += ms
    machine.tick += ms
  }
  return { machine, clock, pass }
}

test('it follows the machine’s clock', () => {
  const { clock, pass, machine } = clocks()
  for (let step = 0; step < 10_000; step++) {
    pass(0.3)
    assert.ok(Math.abs(clock() - machine.wall) <= 1)
  }
})

test('when that is set back it keeps advancing', () => {
  const { clock, pass, machine } = clocks()
  const before = clock()
  machine.wall -= 3_600_000
  assert.equal(clock(), before)
  for (let step = 0; step < 100; step++) {
    pass(10.4)
    clock()
  }
  assert.ok(Math.abs(clock() - before - 1_040) <= 1)
})

test('when that is set forward it follows at once', () => {
  const { clock, machine } = clocks()
  machine.wall += 86_400_000
  assert.equal(clock(), 1_000_000 + 86_400_000)
})
