import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Pressure, TICK_MS } from './pressure.ts'

/** A loop whose turns take this long, for so many turns; the share after each. */
function run(pressure: Pressure, clock: { now: number }, turnMs: number, turns: number): number[] {
  return Array.from({ length: turns }, () => {
    clock.now += TICK_MS + turnMs
    pressure.tick(clock.now)
    return pressure.share
  })
}

function turnedAway(pressure: Pressure, calls: number): number {
  return Array.from({ length: calls }, () => pressure.turnsAway()).filter(Boolean).length
}

function scene() {
  const clock = { now: 1_000 }
  return { clock, pressure: new Pressure(clock.now, 50) }
}

describe('what is turned away', () => {
  test('nothing while turns are short, however many calls come', () => {
    const { clock, pressure } = scene()
    run(pressure, clock, 49, 100)
    assert.equal(turnedAway(pressure, 10_000), 0)
  })

  test('nothing for one long turn, be it of seconds, nor for long ones with a short one between', () => {
    const { clock, pressure } = scene()
    run(pressure, clock, 300, 1)
    run(pressure, clock, 0, 1)
    for (let round = 0; round < 10; round++) {
      run(pressure, clock, 300, 1)
      run(pressure, clock, 5, 1)
    }
    assert.equal(pressure.share, 0)
  })

  test('more and more once every turn of 300 ms was long, but never all', () => {
    const { clock, pressure } = scene()
    const shares = run(pressure, clock, 80, 30)
    assert.equal(shares[1], 0)
    assert.ok((shares[7] ?? 0) > 0)
    assert.equal(pressure.share, 0.95)
    const away = turnedAway(pressure, 1_000)
    assert.ok(away === 949 || away === 950, String(away))
  })

  test('as much as the share says, evenly', () => {
    const { clock, pressure } = scene()
    while (pressure.share < 0.29) run(pressure, clock, 80, 1)
    const first = Array.from({ length: 10 }, () => pressure.turnsAway())
    assert.ok([2, 3].includes(first.filter(Boolean).length), first.join())
    assert.ok(!/true,true/.test(first.join()), 'two in a row')
  })

  test('nothing again within a second after turns are short', () => {
    const { clock, pressure } = scene()
    run(pressure, clock, 80, 30)
    run(pressure, clock, 0, 1_000 / TICK_MS)
    assert.equal(pressure.share, 0)
    assert.equal(turnedAway(pressure, 100), 0)
  })
})
