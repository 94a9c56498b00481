import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startsOf } from './chart-data.ts'
import { spanText, ticksOf, tickText } from './time-axis.ts'
import { axisText, exactText, shortText } from './units.ts'

describe('the time axis', () => {
  test('an hour is marked every ten minutes', () => {
    const starts = startsOf('2026-11-15T05:03:00Z', '2026-11-15T06:03:00Z', 'minute')
    assert.equal(starts.length, 60)
    assert.deepEqual(
      ticksOf(starts, 'minute').map((start) => start.slice(14, 16)),
      ['10', '20', '30', '40', '50', '00'],
    )
  })

  test('a week by the hour is marked by the days of the viewer', () => {
    const starts = startsOf('2026-11-08T00:00:00Z', '2026-11-15T00:00:00Z', 'hour')
    const ticks = ticksOf(starts, 'hour')
    assert.equal(ticks.length, 7)
    assert.ok(ticks.every((start) => new Date(start).getHours() === 0))
  })

  test('a UTC day keeps its name in every zone', () => {
    assert.match(tickText('2026-11-15T00:00:00.000Z', 'day', 30), /15/)
    assert.match(spanText('2026-11-15T00:00:00.000Z', 'day'), /Sun.*15/)
  })
})

describe('figures of a chart', () => {
  test('are exact in tooltips and tables', () => {
    assert.equal(exactText('0.000123456789', 'usd'), '$0.000123456789')
    assert.equal(exactText('9007199254740993', 'tokens'), '9,007,199,254,740,993')
  })

  test('are short in the legend, except for requests', () => {
    assert.deepEqual(
      [shortText('1234567', 'tokens'), shortText('1234567', 'requests'), shortText('12.345', 'usd')],
      ['1.2M', '1,234,567', '$12.35'],
    )
  })

  test('the axis of money measures small amounts too', () => {
    assert.deepEqual(
      [0, 0.00015, 12.5, 2500].map((value) => axisText(value, 'usd')),
      ['$0', '$0.00015', '$12.5', '$2.5K'],
    )
  })
})
