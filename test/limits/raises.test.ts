import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { counterOf } from '../../src/domain/budgets/each.ts'
import { raisedBy, raisesByCounter } from '../../src/domain/budgets/raises.ts'
import { type Answered, type Harness, startHarness } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { ask, assertVerified, CONFIG, hard, holdOfAsk, type LimitedKey, newKey, newWorkspace, usd } from './limited.ts'

const harness: Harness = await startHarness({ config: CONFIG })
const manage = managing(() => harness)
afterEach(() => assertVerified(harness))
after(() => harness.stop())

const HOLD = holdOfAsk('plain')
const ONE = usd(HOLD)

/** What a person reads off the refusal, and raises by. */
async function raise(refused: Answered, key: LimitedKey, workspace = 'default') {
  assert.equal(refused.status, 402, refused.text)
  const { scope, each, value, session } = refused.json.error.details
  const isByKey = scope === 'key' || ['session', 'agent', 'key'].includes(each)
  const named = { ...(isByKey && { key: key.id }), each, value, session }
  const command = /\. To go on, ask an operator to raise it \((.*)\), then send this again\.$/.exec(
    refused.json.error.message,
  )?.[1]
  const options = optionsOf(command ?? '')
  const expected = {
    workspace: workspace === 'default' ? undefined : workspace,
    ...named,
    usd: 'AMOUNT',
    reason: 'WHY',
  }
  assert.deepEqual(options, JSON.parse(JSON.stringify(expected)), 'and types what it says')
  const body = { ...options, workspace: undefined, usd: ONE, reason: 'finish the run' }
  const made = await manage('POST', `/raises?workspace=${workspace}`, body)
  assert.equal(made.status, 201, made.text)
  assert.equal(made.json.is_active, true)
  return made.json.id as string
}

/** As a shell splits them. */
function optionsOf(command: string): Record<string, string> {
  const words = [...command.matchAll(/'([^']*)'|[^ ]+/g)].map(([word, quoted]) => quoted ?? word)
  assert.deepEqual(words.splice(0, 3), ['switchyard', 'raises', 'create'])
  const names = words.filter((_, at) => at % 2 === 0)
  return Object.fromEntries(names.map((name, at) => [name.replace('--', ''), words[2 * at + 1] ?? '']))
}

/** Refused, raised, served; and refused again when the raise has ended. */
async function raised(send: () => Promise<Answered>, key: LimitedKey, workspace?: string): Promise<void> {
  assert.equal((await send()).status, 200)
  const refused = await send()
  const row = await harness.rowOf(refused)
  const id = await raise(refused, key, workspace)
  assert.equal((await send()).status, 200, 'the next try passes')
  const ended = await manage('POST', `/raises/${id}/end`)
  assert.equal(ended.json.is_active, false)
  assert.equal((await send()).status, 402, 'it has ended')
  // The row knows what to raise.
  assert.equal(JSON.parse(String(row['figures'])).value, refused.json.error.details.value)
}

test('the budget of a key goes on, and ends with the raise', async () => {
  const key = await newKey(harness, hard(HOLD))
  await raised(() => key.chat('plain'), key)
})

test('the budget of a workspace', async () => {
  await newWorkspace(harness, 'raised', hard(HOLD))
  const key = await newKey(harness, null, 'raised')
  await raised(() => key.chat('plain'), key, 'raised')
})

test('of a session, and of no other', async () => {
  const key = await newKey(harness, { budgets: [{ each: 'session', usd: ONE, per: 'total', mode: 'hard' }] })
  const send = (session: string) => harness.chat(ask('plain'), { ...key.headers, 'x-gateway-session': session })
  await send('other')
  assert.equal((await send('other')).status, 402)
  await raised(() => send('night run; 2'), key)
  assert.equal((await send('other')).status, 402)
})

test('of an agent', async () => {
  const key = await newKey(harness, { budgets: [{ each: 'agent', usd: ONE, per: 'total', mode: 'hard' }] })
  const names = { 'x-gateway-session': 's', 'x-gateway-agent': 'a' }
  await raised(() => harness.chat(ask('plain'), { ...key.headers, ...names }), key)
})

test('a further period of the key itself', async () => {
  const key = await newKey(harness, { budgets: [{ usd: ONE, per: 'day', mode: 'hard' }] })
  await raised(() => key.chat('plain'), key)
})

test('it is listed and audited', async () => {
  const key = await newKey(harness, hard(HOLD))
  await key.chat('plain')
  const id = await raise(await key.chat('plain'), key)
  const [first] = (await manage('GET', '/raises?active=true')).json.data
  assert.equal(first.id, id)
  assert.equal(first.key_id, key.id)
  const audit = await manage('GET', '/audit?limit=1')
  assert.equal(audit.json.data[0].action, 'raises.create')
})

test('one that is over adds nothing', () => {
  const scope = { workspace: 'w', keyId: 'k', kind: 'session', of: '', value: 's' } as const
  const raises = raisesByCounter([
    { scope, usd: '1', until: 1_000 },
    { scope, usd: '2', until: 2_000 },
  ])
  const at = (now: number) => Number(raisedBy(raises, counterOf(scope), now)) / 1e12
  assert.deepEqual([at(999), at(1_000), at(1_999), at(2_000)], [3, 2, 2, 0])
})

test('bad input says which field', async () => {
  const key = await newKey(harness, null)
  const create = async (body: object) => {
    const answer = await manage('POST', '/raises', { usd: '1', reason: 'more', ...body })
    assert.equal(answer.status, 400, answer.text)
    return answer.json.error.message as string
  }
  assert.match(await create({ usd: '0' }), /^usd: more than 0/)
  assert.match(await create({ key: 'nobody' }), /^key: workspace 'default' has no key 'nobody'/)
  assert.match(await create({ each: 'session', value: 's' }), /^key: sessions are counted by key/)
  assert.match(await create({ each: 'session', key: key.id }), /^value: which one/)
  assert.match(await create({ each: 'person', value: 'x' }), /^each: one of session/)
  assert.match(await create({ each: 'user', value: 'x', session: 's' }), /^session: only of an agent/)
  assert.match(await create({ minutes: 0 }), /^minutes/)
})
