import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fc } from '../../test/property.ts'
import { attribute } from './attribute.ts'
import { isTokenClass, UNSAID } from './line.ts'
import { buildCells, type OurMissing, type OurSum, type TheirLine } from './match/build.ts'
import { type Crossing, NO_UNCONFIRMED, type Unconfirmed } from './match/cell.ts'
import { floatDecimal, scaled } from './read/decimal.ts'

const DAY = Date.parse('2026-11-03T00:00Z')
const DAY_MS = 86_400_000
const MINUTE_MS = 60_000
const usd = (text: string) => scaled(floatDecimal(text, ''), 12)
const PRICES = new Map([
  ['input', 2_500_000n],
  ['cached_input', 250_000n],
  ['output', 15_000_000n],
])
type Tokens = Partial<Record<string, number>>
const BASE: Tokens = { input: 1_234_567, cached_input: 4_801_234, output: 240_111 }
const plus = (...all: Tokens[]): Tokens =>
  Object.fromEntries([...PRICES.keys()].map((name) => [name, all.reduce((sum, each) => sum + (each[name] ?? 0), 0)]))

interface Given {
  ours?: OurSum[]
  missing?: OurMissing[]
  theirs: TheirLine[]
  crossings?: Crossing[]
  now?: number
}

const sum = (tokens: Tokens, requests: number, more: Partial<OurSum> = {}): OurSum => {
  const counts = new Map(Object.entries(plus(tokens)).map(([name, count]) => [name, BigInt(count ?? 0)]))
  return {
    ...{ provider: 'p', model: 'm1', start: DAY, requests: BigInt(requests), tokens: counts, prices: PRICES },
    amounts: new Map([...counts].map(([name, count]) => [name, count * (PRICES.get(name) ?? 0n)])),
    unconfirmed: NO_UNCONFIRMED,
    fees: 0n,
    ...more,
  }
}
const line = (more: Partial<TheirLine>): TheirLine => ({
  ...{ ...UNSAID, provider: 'p', model: 'm1', class: 'input', start: DAY, end: DAY + DAY_MS, zone: 'UTC', place: 1 },
  settleMs: 0,
  ...more,
  billingModel: more.billingModel ?? more.model ?? (isTokenClass(more.class ?? 'input') ? 'm1' : null),
})
/** Tokens of a usage report, the requests on its first line. */
const usage = (tokens: Tokens, requests: number | null, more: Partial<TheirLine> = {}): TheirLine[] =>
  Object.entries(tokens).map(([name, count], index) =>
    line({
      ...{
        class: name,
        quantity: BigInt(count ?? 0),
        requests: index === 0 && requests !== null ? BigInt(requests) : null,
      },
      ...more,
    }),
  )
const costs = (amounts: Partial<Record<string, bigint>>, more: Partial<TheirLine> = {}): TheirLine[] =>
  Object.entries(amounts).map(([name, amount]) =>
    line({ class: name, amount: amount ?? 0n, tolerance: 1_000_000n, ...more }),
  )
const priced = (tokens: Tokens): Record<string, bigint> =>
  Object.fromEntries(
    Object.entries(tokens).map(([name, count]) => [name, BigInt(count ?? 0) * (PRICES.get(name) ?? 0n)]),
  )

function run({ ours = [sum(BASE, 412)], missing = [], theirs, crossings = [], now = DAY + 30 * DAY_MS }: Given) {
  return attribute({ cells: buildCells({ ours, missing, theirs }), crossings, now })
}
/** Each cause with its sum, the difference first and the unexplained rest last. */
function causes(given: Given) {
  const found = run(given)
  const sums = new Map<string, bigint>()
  for (const { cause, amount } of found.flatMap(({ takes }) => takes)) sums.set(cause, (sums.get(cause) ?? 0n) + amount)
  return {
    difference: found.reduce((total, { difference }) => total + difference, 0n),
    ...Object.fromEntries([...sums].filter(([, amount]) => amount !== 0n)),
    unexplained: found.reduce((total, { unexplained }) => total + unexplained, 0n),
  }
}

const CUT: Unconfirmed = { calls: 1n, least: usd('0.075'), most: usd('0.13644'), ids: ['req_1'] }
const cutBase = (calls: bigint) =>
  sum(BASE, 412, { unconfirmed: { ...CUT, calls, least: CUT.least * calls, most: CUT.most * calls } })
const withUsage = (more: Tokens, requests: number) => {
  const tokens = plus(BASE, more)
  return [...usage(tokens, requests), ...costs(priced(tokens))]
}

describe('the base day', () => {
  test('is 7.888391 USD on both sides, without a difference', () => {
    const [found] = run({ theirs: [...usage(BASE, 412), ...costs(priced(BASE))] })
    assert.equal(
      found?.cell.classes.reduce((total, each) => total + each.theirs.amount, 0n),
      7_888_391_000_000n,
    )
    assert.deepEqual([found?.difference, found?.takes, found?.unexplained], [0n, [], 0n])
  })
})

describe('a difference gets the name of its cause', () => {
  const lost = { input: 12_000, output: 900 }
  const missing = { provider: 'p', model: 'm1', start: DAY, end: DAY + 3_600_000, requests: 1n, amount: usd('0.0435') }
  const cents = { input: usd('3.09'), cached_input: usd('1.20'), output: usd('3.60') }
  const half = { tolerance: usd('0.005') }
  const rows: [name: string, given: Given, expected: Record<string, bigint>][] = [
    [
      'V1: lines rounded to cents',
      { theirs: [...usage(BASE, 412), ...costs(cents, half)] },
      { difference: usd('0.001609'), rounding: usd('0.001609'), unexplained: 0n },
    ],
    [
      'V2: a price one percent higher',
      { theirs: [...usage(BASE, 412), ...costs({ ...priced(BASE), output: 240_111n * 15_150_000n })] },
      { difference: usd('0.03601665'), price: usd('0.03601665'), unexplained: 0n },
    ],
    [
      'V3: a row of ours is missing',
      { missing: [missing], theirs: withUsage(lost, 413) },
      { difference: usd('0.0435'), missing_rows: usd('0.0435'), unexplained: 0n },
    ],
    [
      'V4: foreign calls',
      { theirs: withUsage({ input: 70_000, output: 3_500 }, 419) },
      { difference: usd('0.2275'), foreign: usd('0.2275'), unexplained: 0n },
    ],
    [
      'V6: a cut call within its bounds',
      { ours: [cutBase(1n)], theirs: withUsage({ input: 30_000, output: 1_800 }, 413) },
      { difference: usd('0.102'), unconfirmed: usd('0.102'), unexplained: 0n },
    ],
    [
      'V6b: a cut call beyond its limit',
      { ours: [cutBase(1n)], theirs: withUsage({ input: 30_000, output: 4_500 }, 413) },
      { difference: usd('0.1425'), unconfirmed: usd('0.13644'), unexplained: usd('0.00606') },
    ],
    [
      'V8: cached tokens that we booked as plain',
      { theirs: withUsage({ input: -15_741, cached_input: 15_741 }, 412) },
      { difference: usd('-0.03541725'), class: usd('-0.03541725'), unexplained: 0n },
    ],
    [
      'V9: web searches',
      {
        theirs: [
          ...withUsage({}, 412),
          line({ class: 'tool:web_search', model: null, quantity: 12n, amount: usd('0.12') }),
        ],
      },
      { difference: usd('0.12'), tools: usd('0.12'), unexplained: 0n },
    ],
    [
      'V15: a credit',
      { theirs: [...withUsage({}, 412), line({ class: 'credit', model: null, amount: usd('-5') })] },
      { difference: usd('-5'), charges: usd('-5'), unexplained: 0n },
    ],
    [
      'too early',
      { theirs: withUsage({ input: 70_000 }, 419), now: DAY + DAY_MS - 1 },
      { difference: usd('0.175'), not_settled: usd('0.175'), unexplained: 0n },
    ],
    [
      'tokens that they do not bill',
      { theirs: withUsage({ input: -10_000 }, 410) },
      { difference: usd('-0.025'), not_billed: usd('-0.025'), unexplained: 0n },
    ],
    [
      'a model that we never called',
      { theirs: [...withUsage({}, 412), ...costs({ input: usd('1') }, { model: 'm9', quantity: 400n })] },
      { difference: usd('1'), foreign: usd('1'), unexplained: 0n },
    ],
    [
      'money alone, within the bounds of a cut call',
      { ours: [cutBase(1n)], theirs: costs({ ...priced(BASE), output: usd('3.601665') + usd('0.1') }) },
      { difference: usd('0.1'), unconfirmed: usd('0.1'), unexplained: 0n },
    ],
    [
      'money alone, without any cut call',
      { theirs: costs({ ...priced(BASE), output: usd('3.601665') + usd('0.1') }) },
      { difference: usd('0.1'), unexplained: usd('0.1') },
    ],
    [
      'all prices doubled: a tier, not a new price',
      {
        theirs: [
          ...usage(BASE, 412),
          ...costs(Object.fromEntries(Object.entries(priced(BASE)).map(([name, each]) => [name, each * 2n]))),
        ],
      },
      { difference: usd('7.888391'), tier: usd('7.888391'), unexplained: 0n },
    ],
  ]
  const searches = line({ class: 'tool:web_search', model: null, quantity: 12n, amount: usd('0.12') })
  const nearMisses: [name: string, given: Given, cause: string][] = [
    ['no row of ours is missing', { theirs: withUsage(lost, 413) }, 'missing_rows'],
    [
      'they report fewer tokens than the missing row',
      { missing: [missing], theirs: withUsage({ input: -1 }, 412) },
      'missing_rows',
    ],
    ['settled', { theirs: withUsage({ input: 70_000 }, 419), now: DAY + DAY_MS }, 'not_settled'],
    ['a tool is no charge', { theirs: [...withUsage({}, 412), searches] }, 'charges'],
    ['no call crosses', { theirs: withUsage({ input: -1 }, 412) }, 'midnight'],
    ['one token more', { theirs: withUsage({ input: -15_741, cached_input: 15_742 }, 412) }, 'class'],
    [
      'a ratio that no tier has',
      { theirs: [...usage(BASE, 412), ...costs({ ...priced(BASE), output: usd('4') })] },
      'tier',
    ],
    ['the same price', { theirs: withUsage({ input: 70_000 }, 419) }, 'price'],
    [
      'a credit is no tool',
      { theirs: [...withUsage({}, 412), line({ class: 'credit', model: null, amount: -1n })] },
      'tools',
    ],
    ['both sides know the name', { theirs: withUsage({ input: 1 }, 413) }, 'mapping'],
    ['below the least of the cut call', { ours: [cutBase(1n)], theirs: withUsage({ input: 10 }, 413) }, 'unconfirmed'],
    ['no more requests than ours', { theirs: withUsage({ input: 70_000 }, 412) }, 'foreign'],
    ['fewer of one class and more of another', { theirs: withUsage({ input: -9_000, output: 1 }, 412) }, 'not_billed'],
    [
      'a picodollar beyond the tolerance',
      { theirs: [...usage(BASE, 412), ...costs({ ...priced(BASE), input: usd('3.0864175') + 3_000_001n })] },
      'rounding',
    ],
  ]
  for (const [name, given, cause] of nearMisses) {
    test(`not ${cause}: ${name}`, () =>
      assert.ok(!(cause in causes(given)), JSON.stringify(Object.keys(causes(given)))))
  }
  for (const [name, given, expected] of rows) test(name, () => assert.deepEqual(causes(given), expected))
})

describe('tiers', () => {
  const fast = { input: 50_000, output: 8_000 }
  const rest = plus(BASE, { input: -50_000, output: -8_000 })
  const amounts = priced(BASE)
  const dear = {
    ...amounts,
    input: (amounts['input'] ?? 0n) + usd('0.125'),
    output: (amounts['output'] ?? 0n) + usd('0.12'),
  }
  const theirs = [...usage(rest, 372, { tier: 'default' }), ...usage(fast, 40, { tier: 'priority' }), ...costs(dear)]

  test('V5: 40 requests as priority', () => {
    assert.deepEqual(causes({ theirs }), { difference: usd('0.245'), tier: usd('0.245'), unexplained: 0n })
    const facts = run({ theirs }).flatMap(({ takes }) => takes.map(({ facts }) => [facts.tier, facts.quantity]))
    assert.deepEqual(facts, [
      ['priority', 50_000n],
      ['priority', 8_000n],
    ])
  })

  test('the same tier on our side is no difference', () => {
    const ours = [sum(BASE, 412, { amounts: new Map(Object.entries(dear)) })]
    assert.deepEqual(causes({ ours, theirs }), { difference: 0n, unexplained: 0n })
  })
})

describe('time', () => {
  const call = { input: 9_000, output: 2_000 }
  const next = { start: DAY + DAY_MS, end: DAY + 2 * DAY_MS }
  const both = (first: Tokens, second: Tokens) => [
    ...[...usage(first, null), ...costs(priced(first))],
    ...[...usage(second, null, next), ...costs(priced(second), next)],
  ]
  const ours = [sum(plus(BASE, call), 413), sum(BASE, 412, { start: DAY + DAY_MS })]
  const theirs = both(BASE, plus(BASE, call))
  const crossing = { provider: 'p', model: 'm1', startedAt: DAY + DAY_MS - 2_000, finishedAt: DAY + DAY_MS + 7_000 }

  test('V7: a call over midnight', () => {
    const found = run({ ours, theirs, crossings: [{ ...crossing, amount: usd('0.0525') }] })
    assert.deepEqual(
      found.map(({ difference, takes, unexplained }) => [difference, takes.map(({ cause }) => cause), unexplained]),
      [
        [usd('-0.0525'), ['midnight'], 0n],
        [usd('0.0525'), ['midnight'], 0n],
      ],
    )
  })

  test('no more than the calls that cross explains', () => {
    const given = { ours, theirs, crossings: [{ ...crossing, amount: usd('0.01') }] }
    assert.deepEqual(
      run(given).map(({ takes }) => takes.find(({ cause }) => cause === 'midnight')?.amount),
      [usd('-0.01'), usd('0.01')],
    )
  })

  test('a price that rises within a day is named with its hour', () => {
    const hours = Array.from({ length: 4 }, (_, hour) => ({
      start: DAY + hour * 3_600_000,
      tokens: { output: 100_000 },
    }))
    const hourly = [DAY, DAY + DAY_MS].flatMap((day) =>
      hours.map(({ start, tokens }) => ({ start: start - DAY + day, tokens })),
    )
    const given = {
      ours: hourly.map(({ start, tokens }) => sum(tokens, 1, { start })),
      theirs: [
        ...hourly.flatMap(({ start, tokens }) => usage(tokens, 1, { start, end: start + 3_600_000 })),
        ...costs({ output: 200_000n * 15_000_000n + 200_000n * 15_150_000n }),
        ...costs({ output: 400_000n * 15_150_000n }, next),
      ],
    }
    assert.deepEqual(causes(given), { difference: usd('0.09'), price: usd('0.09'), unexplained: 0n })
    const [take] = run(given).flatMap(({ takes }) => takes)
    assert.deepEqual(take?.facts, {
      ...{ class: 'output', price: 15_150_000n, ratio: 1_010_000n, since: DAY + 2 * 3_600_000, quantity: 400_000n },
    })
  })

  test('a price that is higher on one day only is not called a new price', () => {
    const dear = { ...priced(BASE), output: 240_111n * 15_150_000n }
    const given = {
      ours: [sum(BASE, 412), sum(BASE, 412, { start: DAY + DAY_MS })],
      theirs: [...usage(BASE, 412), ...costs(dear), ...usage(BASE, 412, next), ...costs(priced(BASE), next)],
    }
    assert.deepEqual(causes(given), { difference: usd('0.03601665'), unexplained: usd('0.03601665') })
  })
})

describe('V10: the bookkeeper asks why the invoice is 3.10 USD above ours', () => {
  const cut = { input: 30_000, output: 1_800 }
  const fast = { input: 200_000, output: 32_000 }
  const stranger = { input: 70_000, output: 3_500 }
  const lost = { input: 12_000, output: 900 }
  const missing = { provider: 'p', model: 'm1', start: DAY, end: DAY + 3_600_000, requests: 1n, amount: usd('0.0435') }
  const times = (count: number, tokens: Tokens) => Array.from({ length: count }, () => tokens)
  const all = plus(BASE, ...times(10, cut), ...times(2, stranger), lost)
  const amounts = priced(all)
  const bill = [
    ...costs(
      {
        ...amounts,
        input: (amounts['input'] ?? 0n) + usd('0.5') + usd('0.001'),
        output: (amounts['output'] ?? 0n) + usd('0.48') + usd('0.0005'),
      },
      { tolerance: usd('0.005') },
    ),
    line({ class: 'tool:web_search', model: null, quantity: 60n, amount: usd('0.60') }),
  ]
  const slow = plus(BASE, { input: -fast.input, output: -fast.output })
  const named = {
    ...{ tier: usd('0.98'), tools: usd('0.60'), missing_rows: usd('0.0435'), rounding: usd('0.0015') },
    ...{ difference: usd('3.10'), unexplained: 0n },
  }

  test('by minutes all six are named', () => {
    const minute = (index: number) => ({ start: DAY + index * MINUTE_MS, end: DAY + (index + 1) * MINUTE_MS })
    const theirs = [
      ...usage(slow, 252, { ...minute(0), tier: 'default' }),
      ...usage(fast, 160, { ...minute(1), tier: 'priority' }),
      ...times(10, cut).flatMap((tokens, index) => usage(tokens, 1, minute(10 + index))),
      ...times(2, stranger).flatMap((tokens, index) => usage(tokens, 7, minute(600 + index))),
      ...usage(lost, 1, minute(40)),
    ]
    const ours = [
      sum(slow, 252),
      sum(fast, 160, { start: minute(1).start }),
      ...times(10, {}).map((_, index) => sum({}, 0, { start: minute(10 + index).start, unconfirmed: CUT })),
    ]
    assert.deepEqual(causes({ ours, missing: [missing], theirs: [...theirs, ...bill] }), {
      ...named,
      ...{ unconfirmed: usd('1.02'), foreign: usd('0.455') },
    })
  })

  test('by days unconfirmed and foreign calls are one sum, with a range', () => {
    const theirs = [
      ...usage(plus(all, { input: -fast.input, output: -fast.output }), 277, { tier: 'default' }),
      ...usage(fast, 160, { tier: 'priority' }),
      ...bill,
    ]
    const given = { ours: [cutBase(10n)], missing: [missing], theirs }
    assert.deepEqual(causes(given), { ...named, unconfirmed_or_foreign: usd('1.475') })
    const mixed = run(given)
      .flatMap(({ takes }) => takes)
      .find(({ cause }) => cause === 'unconfirmed_or_foreign')
    assert.deepEqual([mixed?.facts.least, mixed?.facts.most], [usd('0.75'), usd('1.3644')])
  })
})

describe('names of models', () => {
  test('V14: a dated name is proposed, not applied', () => {
    const model = 'm1-2026-05-01'
    const theirs = [...usage(BASE, 412, { model }), ...costs(priced(BASE), { model })]
    const found = run({ theirs })
    assert.deepEqual(
      found.map(({ cell, takes }) => [
        cell.model,
        [...new Set(takes.map(({ cause, facts }) => `${cause} ${facts.model}`))],
      ]),
      [
        ['m1', ['mapping m1-2026-05-01']],
        ['m1-2026-05-01', ['mapping m1']],
      ],
    )
    assert.deepEqual(causes({ theirs }), { difference: 0n, unexplained: 0n })
  })
})

describe('properties', () => {
  const tokens = fc.record({ input: fc.nat(50), cached_input: fc.nat(50), output: fc.nat(50) })
  const lines = fc.array(
    fc.record({
      tokens,
      amount: fc.option(fc.bigInt(-(10n ** 9n), 10n ** 9n), { nil: null }),
      day: fc.nat(2),
      hour: fc.option(fc.nat(23), { nil: null }),
      model: fc.constantFrom('m1', 'm1-2026-05-01', 'm2'),
      name: fc.constantFrom('input', 'output', 'credit', 'tool:web_search'),
      tier: fc.constantFrom(null, 'priority', 'default'),
      requests: fc.option(fc.nat(9), { nil: null }),
    }),
    { maxLength: 12 },
  )
  const given = fc.record({
    lines,
    ours: fc.array(
      fc.record({ tokens, day: fc.nat(2), hour: fc.nat(23), calls: fc.nat(2), model: fc.constantFrom('m1', 'm2') }),
      { maxLength: 8 },
    ),
    missing: fc.bigInt(0n, 10n ** 8n),
    crossing: fc.bigInt(0n, 10n ** 8n),
  })
  type Given = typeof given extends fc.Arbitrary<infer T> ? T : never
  const problem = ({ lines, ours, missing, crossing }: Given) => ({
    theirs: lines.flatMap(({ tokens, amount, day, hour, model, name, tier, requests }) => {
      const start = DAY + day * DAY_MS + (hour ?? 0) * 3_600_000
      const period = { start, end: hour === null ? start + DAY_MS : start + 3_600_000, model, tier }
      const charged = line({ ...period, class: name, amount: amount ?? 0n, tolerance: 1_000n })
      return amount === null ? usage(tokens, requests, period) : [charged]
    }),
    ours: ours.map(({ tokens, day, hour, calls, model }) =>
      sum(tokens, 1, {
        ...{ start: DAY + day * DAY_MS + hour * 3_600_000, model },
        unconfirmed: { calls: BigInt(calls), least: BigInt(calls), most: BigInt(calls) * 10n ** 8n, ids: [] },
      }),
    ),
    missing: [{ provider: 'p', model: 'm1', start: DAY, end: DAY + 3_600_000, requests: 1n, amount: missing }],
    crossings: [
      { provider: 'p', model: 'm1', startedAt: DAY + DAY_MS - 1, finishedAt: DAY + DAY_MS, amount: crossing },
    ],
  })

  test('what is attributed and what is not add up to the difference, of every cell and part', () => {
    fc.assert(
      fc.property(given, (each) => {
        for (const { difference, takes, unexplained } of run(problem(each))) {
          assert.equal(
            takes.reduce((sum, { amount }) => sum + amount, unexplained),
            difference,
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  test('the order of lines and sums changes nothing', () => {
    fc.assert(
      fc.property(given, (each) => {
        const sides = problem(each)
        const turned = { ...sides, theirs: sides.theirs.toReversed(), ours: sides.ours.toReversed() }
        const key = (found: ReturnType<typeof run>) =>
          found
            .map(({ cell, difference, unexplained, takes }) => ({
              at: JSON.stringify([cell.period, cell.model]),
              difference,
              unexplained,
              takes: takes.map(({ cause, amount }) => `${cause} ${amount}`).sort(),
            }))
            .sort((a, b) => (a.at < b.at ? -1 : 1))
        assert.deepEqual(key(run(turned)), key(run(sides)))
      }),
      { numRuns: 300 },
    )
  })
})
