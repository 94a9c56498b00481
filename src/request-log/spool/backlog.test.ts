import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Backlog, MOST_MARKS } from './backlog.ts'

/** A spool and a fold that are where the test says, and a clock that it moves. */
function backlogOf(maxRows: number) {
  const spool = { lastSeq: 0 }
  const fold = {
    foldedSeq: 0,
    get lagRows() {
      return spool.lastSeq - this.foldedSeq
    },
  }
  const said: string[] = []
  const say = (level: string) => (_details: object, message: string) =>
    void said.push(`${level}: ${message.split(':')[0]}`)
  const log = { info: say('info'), warn: say('warn'), error: say('error') }
  let now = 0
  const backlog = new Backlog({ maxRows, log }, spool, fold, () => now)
  return {
    backlog,
    said,
    at(seconds: number) {
      now = seconds * 1000
    },
    append(records: number) {
      spool.lastSeq += records
      backlog.committed()
    },
    fold(seq: number) {
      fold.foldedSeq = seq
    },
  }
}

test('the age is that of the oldest record that is not folded', () => {
  const { backlog, at, append, fold } = backlogOf(1_000)
  at(10)
  assert.equal(backlog.lagSeconds(), 0)
  append(2)
  at(20)
  append(2)
  at(30)
  append(2)
  assert.equal(backlog.lagSeconds(), 20)
  fold(2)
  assert.equal(backlog.lagSeconds(), 10)
  fold(5)
  assert.equal(backlog.lagSeconds(), 0)
  at(40)
  assert.equal(backlog.lagSeconds(), 10)
  fold(6)
  assert.equal(backlog.lagSeconds(), 0)
})

test('of a day of records that nobody folds no more than a bounded number of moments is kept, and the age stays right', () => {
  const { backlog, at, append, fold } = backlogOf(1_000_000)
  for (let second = 0; second < 86_400; second++) {
    at(second)
    append(2)
    assert.ok(backlog.marks <= MOST_MARKS)
  }
  assert.equal(backlog.lagSeconds(), 86_399)
  // Enough of them are kept to know the age of what is left, to within some minutes.
  fold(86_400)
  assert.ok(Math.abs(backlog.lagSeconds() - 43_199) <= 600)
})

test('it is full at the bound and not when it has fallen below; each is said once', () => {
  const { backlog, append, fold, said } = backlogOf(10)
  append(7)
  assert.deepEqual([backlog.isFull(), said], [false, []])
  append(1)
  append(1)
  assert.deepEqual([backlog.isFull(), said], [false, ['warn: the spool is filling up']])
  append(1)
  assert.equal(backlog.isFull(), true)
  assert.equal(backlog.isFull(), true)
  fold(1)
  assert.equal(backlog.isFull(), false)
  append(1)
  assert.equal(backlog.isFull(), true)
  assert.deepEqual(said.slice(1), ['error: the spool is full'])
  fold(11)
  append(1)
  assert.deepEqual([backlog.isFull(), said.slice(2)], [false, ['info: the spool has room again']])
})
