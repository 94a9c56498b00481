import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import { Distribution, Tally } from './tally.ts'

/** The same figures through prom-client's own classes: what is written out must not differ by a letter. */
async function bothTexts(ours: (registry: Registry) => void, theirs: (registry: Registry) => void) {
  const [mine, reference] = [new Registry(), new Registry()]
  ours(mine)
  theirs(reference)
  return [await mine.metrics(), await reference.metrics()]
}

describe('what is written out equals what prom-client would write', () => {
  test('a counter with labels, awkward ones among them', async () => {
    const options = { name: 'calls_total', help: 'Calls.' }
    const [mine, reference] = await bothTexts(
      (registry) => {
        const tally = new Tally({ ...options, labels: ['route', 'code'], registry })
        tally.add(1, ['a "quoted"\\ route', 'ok'])
        tally.add(2.5, ['b', 'upstream_error'])
        tally.add(1, ['b', 'upstream_error'])
      },
      (registry) => {
        const counter = new Counter({ ...options, labelNames: ['route', 'code'], registers: [registry] })
        counter.inc({ route: 'a "quoted"\\ route', code: 'ok' })
        counter.inc({ route: 'b', code: 'upstream_error' }, 2.5)
        counter.inc({ route: 'b', code: 'upstream_error' })
      },
    )
    assert.equal(mine, reference)
  })

  test('a counter without labels stands at 0 before anything happened', async () => {
    const options = { name: 'failures_total', help: 'Failures.' }
    const [mine, reference] = await bothTexts(
      (registry) => new Tally({ ...options, registry }),
      (registry) => new Counter({ ...options, registers: [registry] }),
    )
    assert.equal(mine, reference)
    assert.match(mine ?? '', /^failures_total 0$/m)
  })

  test('a gauge goes up and down', async () => {
    const options = { name: 'in_flight', help: 'In flight.' }
    const [mine, reference] = await bothTexts(
      (registry) => {
        const tally = new Tally({ ...options, registry }, 'gauge')
        tally.add()
        tally.add()
        tally.add(-1)
        assert.equal(tally.value, 1)
      },
      (registry) => new Gauge({ ...options, registers: [registry] }).set(1),
    )
    assert.equal(mine, reference)
  })

  test('a histogram: a figure on a bound belongs below it, the largest belongs to +Inf', async () => {
    const options = { name: 'seconds', help: 'Seconds.' }
    const figures = [0, 0.1, 0.100001, 0.5, 7, 1e9]
    const [mine, reference] = await bothTexts(
      (registry) => {
        const spread = new Distribution({ ...options, labels: ['model'], bounds: [0.1, 0.5, 5], registry })
        for (const figure of figures) spread.observe(figure, ['m'])
      },
      (registry) => {
        const buckets = [0.1, 0.5, 5]
        const histogram = new Histogram({ ...options, labelNames: ['model'], buckets, registers: [registry] })
        for (const figure of figures) histogram.observe({ model: 'm' }, figure)
      },
    )
    assert.equal(mine, reference)
  })
})
