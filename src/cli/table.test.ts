import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cell } from './cell.ts'
import { parseDuration, parseSince } from './duration.ts'
import { formatTable } from './table.ts'

const columns = [{ title: 'name' }, { title: 'cost', isNumber: true }]
const plain = { width: null, bold: (text: string) => text }

test('columns are aligned, numbers to the right, without blanks at the end of a line', () => {
  const rows = [
    ['a', '1'],
    ['longer', '10.25'],
  ]
  assert.equal(formatTable(columns, rows, plain), 'name     cost\na           1\nlonger  10.25\n')
})

test('on a narrow terminal the widest text gives way and numbers stay whole', () => {
  const table = formatTable(columns, [['a very long name indeed', '12345.67']], { ...plain, width: 24 })
  assert.equal(table, 'name                cost\na very long n…  12345.67\n')
})

test('an id is never cut: it is there to be pasted', () => {
  const titles = [{ title: 'id' }, { title: 'name' }]
  const table = formatTable(titles, [['chatcmpl_01m7ep7pr5phryraz9ase98p8j', 'a very long name indeed']], {
    ...plain,
    width: 40,
  })
  assert.match(table, /^chatcmpl_01m7ep7pr5phryraz9ase98p8j {2}a very …$/m)
})

test('a table never grows narrower than a reader can use', () => {
  const table = formatTable(columns, [['a very long name indeed', '12345.67']], { ...plain, width: 3 })
  assert.match(table, /^a very … {2}12345\.67$/m)
})

for (const [value, shown] of [
  [null, '–'],
  [true, 'yes'],
  [0, '0'],
  ['2026-11-15T03:24:38.123Z', '2026-11-15 03:24:38'],
  [['a', 'b'], 'a, b'],
  [[], '–'],
  [
    [
      { provider: 'p', model: 'm', retries: 1 },
      { provider: 'q', model: 'n' },
    ],
    'p/m → q/n',
  ],
  [[{ balance: 'weighted', members: [{ provider: 'p', model: 'm', weight: 3 }] }], '(weighted: p/m,weight=3)'],
  [
    [
      {
        balance: 'fastest',
        members: [
          { provider: 'p', model: 'm', weight: 1 },
          { provider: 'q', model: 'n' },
        ],
      },
      { provider: 'r', model: 'o' },
    ],
    '(fastest: p/m | q/n) → r/o',
  ],
  [{ rpm: 5, budget: { usd: '1' } }, 'rpm 5, budget usd 1'],
  ['two\nlines\u001b[31mred', 'two lines�[31mred'],
] as const) {
  test(`${JSON.stringify(value)} is shown as ${shown}`, () => assert.equal(cell(value), shown))
}

for (const [text, milliseconds] of [
  ['10s', 10_000],
  ['30m', 1_800_000],
  ['24h', 86_400_000],
  ['90d', 7_776_000_000],
  ['2w', 1_209_600_000],
] as const) {
  test(`${text} is a duration`, () => assert.equal(parseDuration(text, 'since'), milliseconds))
}

for (const text of ['', '1', 'h', '1.5h', '-1h', '1y', '1 h']) {
  test(`'${text}' is no duration`, () => assert.throws(() => parseDuration(text, 'since'), /--since/))
}

test('since is a duration ago, or the time that is written', () => {
  assert.equal(parseSince('1h', 'since', Date.UTC(2026, 0, 1, 1)), '2026-01-01T00:00:00.000Z')
  assert.equal(parseSince('2026-01-01', 'since', 0), '2026-01-01')
})
