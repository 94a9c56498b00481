import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import type { EachBudget, Limits } from '../../src/domain/limits.ts'
import { type Answered, type Harness, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { ask, assertVerified, CONFIG, holdOfAsk, newKey, newWorkspace, statuses, usd } from './limited.ts'

const harness: Harness = await startHarness({ config: CONFIG })
const { simulator } = harness
const manage = managing(() => harness)
beforeEach(() => simulator.reset())
afterEach(async () => {
  simulator.release()
  await assertVerified(harness)
})
after(() => harness.stop())

const HOLD = holdOfAsk('plain')
/** So many calls that have nothing more in their bodies. */
const each = (name: EachBudget['each'], calls: bigint, more: Partial<EachBudget> = {}): EachBudget => ({
  ...(name !== undefined && { each: name }),
  ...{ usd: usd(calls * HOLD), per: 'total', mode: 'hard', ...more },
})
/** What a user in the body adds to the hold. */
const WITH_USER = BigInt(JSON.stringify({ user: 'ann' }).length - 1) * 1_000_000n
const limits = (...budgets: EachBudget[]): Limits => ({ budgets })

interface Names {
  session?: string
  agent?: string
  parent?: string
  user?: string
  project?: string
  tags?: Record<string, string>
}

/** Everything as headers and fields that callers have. */
function sender(headers: Record<string, string>) {
  return ({ session, agent, parent, user, project, tags }: Names): Promise<Answered> => {
    const named = { session, agent, parent, project }
    const names = Object.entries(named).flatMap(([name, value]) =>
      value === undefined ? [] : [[`x-gateway-${name}`, value]],
    )
    const body = { ...ask('plain'), ...(user && { user }), ...(tags && { metadata: tags }) }
    return harness.chat(body, { ...headers, ...Object.fromEntries(names) })
  }
}

const times = (count: number, one: () => Promise<Answered>) => Promise.all(Array.from({ length: count }, one))

describe('a budget for each value', () => {
  const rows: [string, Limits, Names, Names][] = [
    ['session', limits(each('session', 3n)), { session: 'a' }, { session: 'b' }],
    ['user', limits(each('user', 4n)), { user: 'ann' }, { user: 'bob' }],
    ['project', limits(each('project', 3n)), { project: 'one' }, { project: 'two' }],
    ['tag', limits(each('tag:team', 4n)), { tags: { team: 'blue' } }, { tags: { team: 'red' } }],
    ['agent', limits(each('agent', 3n)), { session: 's', agent: 'x' }, { session: 's', agent: 'y' }],
  ]
  for (const [name, given, one, other] of rows) {
    test(`of one ${name}, exact with many calls at once, and another has its own`, async () => {
      const key = await newKey(harness, given)
      let refused = 0
      const send = async (names: Names) => {
        const answer = await sender(key.headers)(names)
        if (answer.status === 402) refused++
        return answer
      }
      simulator.hold()
      const first = times(20, () => send(one))
      const second = times(20, () => send(other))
      await until(() => harness.upstream().length === 6 && refused === 34, 'all are decided')
      simulator.release()
      assert.deepEqual(statuses(await first), { 200: 3, 402: 17 })
      assert.deepEqual(statuses(await second), { 200: 3, 402: 17 })
      // A call that names none has no such budget.
      assert.equal((await send({})).status, 200)
    })
  }
})

test('the refusal names the value with its figures, and its row has them', async () => {
  const key = await newKey(harness, limits(each('session', 1n, { per: 'day' })))
  const send = sender(key.headers)
  const [, refused] = [await send({ session: 'nightly run' }), await send({ session: 'nightly run' })]
  assert.equal(refused.status, 402)
  const { error } = refused.json
  assert.match(error.message, /The budget of session nightly run of key 'limited-\d+' does not allow this call/)
  assert.equal(error.details.each, 'session')
  assert.equal(error.details.value, 'nightly run')
  assert.equal(error.details.per, 'day')
  assert.equal(error.details.scope, 'key')
  const row = await harness.rowOf(refused)
  assert.equal(row.code, 'budget_exceeded')
  assert.match(String(row['reason']), /session nightly run/)
})

test('what a sub-agent spends counts for those that started it', async () => {
  const key = await newKey(harness, limits(each('agent', 2n)))
  const send = sender(key.headers)
  const child = { session: 's', agent: 'child', parent: 'top' }
  simulator.hold()
  const first = times(2, () => send(child))
  await until(() => harness.upstream().length === 2, 'two have arrived')
  const refused = await send({ session: 's', agent: 'top' })
  assert.equal(refused.status, 402, refused.text)
  assert.equal(refused.json.error.details.value, 'top')
  assert.equal(refused.json.error.details.session, 's')
  simulator.release()
  await first
})

test('parents that form a circle, and a session of another key, change nothing for others', async () => {
  const [one, other] = [
    await newKey(harness, limits(each('agent', 1n), each('session', 2n))),
    await newKey(harness, limits(each('session', 2n))),
  ]
  const send = sender(one.headers)
  const [first, second] = [
    await send({ session: 'c', agent: 'x', parent: 'y' }),
    await send({ session: 'c', agent: 'y', parent: 'x' }),
  ]
  assert.deepEqual([first.status, second.status], [200, 402])
  // The same name at another key is another session.
  assert.deepEqual(statuses(await times(1, () => sender(other.headers)({ session: 'c' }))), { 200: 1 })
})

test('of a workspace: users count over all its keys, sessions for each key', async () => {
  await newWorkspace(
    harness,
    'each',
    limits(each('user', 1n, { usd: usd(HOLD + WITH_USER) }), each('session', 1n), each('key', 2n)),
  )
  const [one, other] = [
    sender((await newKey(harness, null, 'each')).headers),
    sender((await newKey(harness, null, 'each')).headers),
  ]
  assert.equal((await one({ user: 'ann' })).status, 200)
  const refused = await other({ user: 'ann' })
  assert.equal(refused.status, 402)
  assert.match(refused.json.error.message, /user ann of workspace 'each'/)
  assert.equal((await other({ session: 'a' })).status, 200)
  assert.equal((await one({ session: 'a' })).status, 200)
  const keyFull = await times(3, () => one({}))
  assert.ok(statuses(keyFull)[402] !== undefined, 'each key has its own')
  assert.equal((await other({})).status, 200)
})

test('several periods of one scope: the day ends before the month does', async () => {
  const day = each(undefined, 2n, { per: 'day' })
  const key = await newKey(harness, { budget: { usd: usd(10n * HOLD), per: 'month', mode: 'hard' }, budgets: [day] })
  simulator.hold()
  let refusals = 0
  const all = times(5, async () => {
    const answer = await key.chat('plain')
    if (answer.status === 402) refusals++
    return answer
  })
  await until(() => harness.upstream().length === 2 && refusals === 3, 'all are decided')
  simulator.release()
  const answers = await all
  assert.deepEqual(statuses(answers), { 200: 2, 402: 3 })
  const refused = answers.find(({ status }) => status === 402)
  assert.equal(refused?.json.error.details.per, 'day')
  assert.equal(refused?.json.error.details.value, undefined)
})

test('a budget that is set later counts what its value has spent by then', async () => {
  const key = await newKey(harness, null)
  const send = sender(key.headers)
  await send({ session: 'old' })
  await harness.gateway.store.requestLog.caughtUp()
  await key.limit(limits(each('session', 1n)))
  assert.equal((await send({ session: 'old' })).status, 402)
  assert.equal((await send({ session: 'new' })).status, 200)
})

test('a soft budget warns with the value, and refuses nothing', async () => {
  const key = await newKey(harness, limits(each('session', 1n, { mode: 'soft' })))
  const send = sender(key.headers)
  await send({ session: 'a' })
  const second = await send({ session: 'a' })
  assert.equal(second.status, 200)
  assert.match(second.headers.get('x-gateway-budget-warning') ?? '', /^session a of key 'limited-\d+': /)
})

test('a caller sees what is left of its session', async () => {
  const key = await newKey(harness, limits(each('session', 2n), each(undefined, 9n, { per: 'day' })))
  await sender(key.headers)({ session: 'mine' })
  const answer = await harness.get('/v1/key', { ...key.headers, 'x-gateway-session': 'mine' })
  const [session, day] = answer.json.budgets
  assert.deepEqual([session.each, session.value, session.per, session.held_usd], ['session', 'mine', 'total', '0'])
  assert.notEqual(session.spent_usd, '0')
  assert.equal(session.spent_usd, day.spent_usd)
  assert.deepEqual([day.each, day.per], [undefined, 'day'])
  assert.equal(answer.json.limits.budgets, undefined)
  const other = await harness.get('/v1/key', { ...key.headers, 'x-gateway-session': 'another' })
  assert.equal(other.json.budgets[0].spent_usd, '0')
})

test('bad input names the field', async () => {
  const create = async (budgets: unknown, workspace = false) => {
    const body = { name: `bad-${Math.random()}`.replace('.', ''), limits: { budgets } }
    const answer = await manage('POST', workspace ? '/workspaces' : '/keys', body)
    assert.equal(answer.status, 400, answer.text)
    return JSON.stringify(answer.json.error)
  }
  const good = { usd: '1', per: 'day' }
  assert.match(await create([{ ...good, each: 'person' }]), /limits\.budgets\[0\]\.each.*one of session, agent/)
  assert.match(await create([{ ...good, each: 'tag:' }]), /tag:NAME/)
  assert.match(await create([good, good]), /same each and per/)
  assert.match(await create([{ ...good, each: 'key' }]), /for the budgets of a workspace/)
  assert.match(
    await create(Array.from({ length: 9 }, (_, tag) => ({ ...good, each: `tag:t${tag}` }))),
    /limits\.budgets/,
  )
})
