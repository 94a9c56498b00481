import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { hello, type Json, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startReceiver } from './receiver.ts'

const harness = await startHarness({ environment: { ALERTS_EVERY_SECONDS: '0.1' } })
after(() => harness.stop())
const manage = managing(() => harness)

const firing = async (): Promise<Json[]> => (await manage('GET', '/alerts?state=firing')).json.data

async function spend(name: string): Promise<void> {
  const limits = { budget: { usd: '0.000001', per: 'month', mode: 'soft' } }
  const { json } = await manage('POST', '/keys', { name, limits })
  await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization: `Bearer ${json.value}` })
}

describe('own rules', () => {
  const rule = { name: 'watched', rule: 'budget', thresholds: [60], workspace: 'default', key: 'ci' }

  test('watch their own target with their own figures, next to the built-in rule', async () => {
    await manage('PATCH', '/alert-rules/budget', { enabled: false })
    await spend('ci')
    const { status, json } = await manage('POST', '/alert-rules', rule)
    assert.deepEqual([status, json.thresholds, json.key, json.is_builtin], [201, [60], 'ci', false])
    await spend('other')
    await until(async () => (await firing()).length > 0, 'it fires')
    const [alert, ...more] = await firing()
    assert.match(alert?.['summary'], /^watched: The key ci in default has spent 60 % of its budget/)
    assert.deepEqual([alert?.['key'] !== null, more], [true, []])
    await manage('PATCH', '/alert-rules/budget', { enabled: true })
    await until(async () => (await firing()).length === 3, 'the built-in rule fires for both keys')
  })

  test('follow their key to its new name', async () => {
    await manage('POST', '/workspaces', { name: 'sales' })
    await manage('POST', '/keys?workspace=sales', { name: 'ci' })
    await manage('POST', '/alert-rules', { ...rule, name: 'theirs', workspace: 'sales' })
    const keyOf = async (name: string) =>
      (await manage('GET', '/alert-rules')).json.data.find((each: Json) => each.name === name).key
    const [key] = (await manage('GET', '/keys?search=ci')).json.data
    assert.equal((await manage('PATCH', `/keys/${key.id}`, { name: 'builds' })).status, 200)
    assert.deepEqual([await keyOf('watched'), await keyOf('theirs')], ['builds', 'ci'])
    await manage('PATCH', `/keys/${key.id}`, { name: 'ci' })
    await manage('DELETE', '/alert-rules/theirs')
  })

  test('are changed and deleted, which resolves their alerts', async () => {
    const changed = (await manage('PATCH', '/alert-rules/watched', { thresholds: [70] })).json
    assert.deepEqual([changed.name, changed.thresholds, changed.key], ['watched', [70], 'ci'])
    assert.equal((await manage('DELETE', '/alert-rules/watched')).status, 204)
    const names = async () => (await manage('GET', '/alert-rules')).json.data.map(({ name }: Json) => name)
    assert.ok(!(await names()).includes('watched'))
    const own = async () => (await firing()).filter(({ summary }) => summary.startsWith('watched'))
    await until(async () => (await own()).length === 0, 'its alert is resolved')
    const actions = (await manage('GET', '/audit?resource=alert-rules/watched')).json.data.map(
      ({ action }: Json) => action,
    )
    assert.deepEqual(actions, ['alert-rules.delete', 'alert-rules.update', 'alert-rules.create'])
  })

  for (const [what, body, status, message] of [
    ['a name that exists', { name: 'latency', rule: 'latency' }, 409, /already exists/],
    ['a figure of another kind', { ...rule, factor: 2 }, 400, /^factor: not for a rule of kind budget/],
    ['a target of another kind', { ...rule, key: undefined, route: 'fast' }, 400, /^route: not for a rule/],
    ['a key without its workspace', { ...rule, workspace: undefined }, 400, /^workspace: required with key/],
    ['a key that does not exist', { ...rule, key: 'missing' }, 400, /^key: there is no key 'missing'/],
  ] as const) {
    test(`refused: ${what}`, async () => {
      const answer = await manage('POST', '/alert-rules', body)
      assert.equal(answer.status, status)
      assert.match(answer.json.error.message, message)
    })
  }

  test('a built-in rule is switched off, not deleted; of another workspace they are not listed', async () => {
    assert.equal((await manage('DELETE', '/alert-rules/budget')).status, 409)
    await manage('POST', '/workspaces', { name: 'theirs' })
    await manage('POST', '/alert-rules', { name: 'here', rule: 'error_rate', workspace: 'default' })
    const { value } = (await manage('POST', '/admin-keys', { name: 'scoped', role: 'viewer', workspaces: ['theirs'] }))
      .json
    const listed = (await manage('GET', '/alert-rules', undefined, { authorization: `Bearer ${value}` })).json.data
    assert.deepEqual([listed.length, listed.some(({ name }: Json) => name === 'here')], [11, false])
  })
})

test('a new channel hears of the alerts that are open, once', async () => {
  const receiver = await startReceiver()
  try {
    const open = (await firing()).map(({ id }) => id)
    assert.ok(open.length > 0)
    await manage('POST', '/alert-channels', { name: 'late', kind: 'webhook', url: receiver.url })
    const heard = () => receiver.received.flatMap(({ json }) => json.data.alerts.map(({ id }: Json) => id))
    await until(() => heard().length >= open.length, 'it hears of them')
    await spend('newest')
    await until(() => heard().length > open.length, 'it hears of a new one')
    assert.deepEqual(heard().slice(0, open.length).sort(), open.sort())
    assert.equal(new Set(heard()).size, heard().length)
  } finally {
    await receiver.close()
  }
})
