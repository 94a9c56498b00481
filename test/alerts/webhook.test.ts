import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { hello, type Json, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startReceiver } from './receiver.ts'

const receiver = await startReceiver()
after(() => receiver.close())
const harness = await startHarness({ environment: { ALERTS_EVERY_SECONDS: '0.1' } })
after(() => harness.stop())
const manage = managing(() => harness)

const made = await manage('POST', '/alert-channels', {
  name: 'ops',
  kind: 'webhook',
  url: `${receiver.url}/hook?team=a`,
})
const { id, signing_secret: secret } = made.json

/** Throws unless the library that receivers use accepts it. */
function verified(message: (typeof receiver.received)[number]): Json {
  return new Webhook(secret).verify(message.text, message.headers as Record<string, string>)
}

const alertsSaid = () => receiver.received.flatMap(({ json }) => json.data.alerts)

async function spender(usd: string, name: string): Promise<() => Promise<number>> {
  const key = await manage('POST', '/keys', { name, limits: { budget: { usd, per: 'month', mode: 'soft' } } })
  const authorization = `Bearer ${key.json.value}`
  return async () => (await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization })).status
}

describe('a budget that is spent', () => {
  test('is said once at the highest threshold reached, signed as Standard Webhooks has it', async () => {
    const call = await spender('0.000001', 'ci')
    assert.equal(await call(), 200)
    await until(() => alertsSaid().some(({ rule }) => rule === 'budget'), 'the receiver is told')
    const message = receiver.received.find(({ json }) => json.type === 'alerts')
    assert.ok(message)
    const { type, data } = verified(message)
    assert.equal(type, 'alerts')
    const [alert] = data.alerts
    assert.deepEqual(
      [alert.state, alert.rule, alert.severity, alert.subject, alert.workspace, alert.resolved_at],
      ['firing', 'budget', 'critical', 'key ci', 'default', null],
    )
    assert.match(
      alert.summary,
      /^The key ci in default has spent 100 % of its budget: \$[\d.]+ of \$0\.000001 this month$/,
    )
    assert.match(String(message.headers['webhook-id']), /^msg_\w{26}$/)
    assert.equal(message.path, '/hook?team=a')
    assert.ok(!message.text.includes('hello'))
    assert.equal(await call(), 200)
    const metrics = await (await fetch(`${harness.url}/metrics`)).text()
    const labels = 'scope="key",workspace="default",name="ci",per="month"'
    assert.ok(metrics.includes(`switchyard_budget_limit_usd{${labels}} 0.000001\n`), metrics)
    assert.match(metrics, /switchyard_budget_used_ratio\{.*name="ci".*\} [1-9]/)
    const listed = (await manage('GET', '/alerts?state=firing')).json.data
    assert.deepEqual(
      listed.map(({ rule, state }: Json) => [rule, state]),
      [['budget', 'firing']],
    )
  })

  test('recovers when its limit is raised, and is said once a period', async () => {
    receiver.received.length = 0
    const { json } = await manage('POST', '/keys', {
      name: 'climbing',
      limits: { budget: { usd: '0.000001', per: 'month', mode: 'soft' } },
    })
    const limits = (usd: string) =>
      manage('PATCH', `/keys/${json.id}`, { limits: { budget: { usd, per: 'month', mode: 'soft' } } })
    await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization: `Bearer ${json.value}` })
    const said = () => alertsSaid().filter(({ subject }) => subject === 'key climbing')
    await until(() => said().length === 1, 'the first is told')
    assert.equal((await limits('1000')).status, 200)
    await until(() => said().length === 2, 'the recovery is told')
    assert.deepEqual(
      said().map(({ id: alert, state }) => [alert, state]),
      [
        [said()[0].id, 'firing'],
        [said()[0].id, 'resolved'],
      ],
    )
    await limits('0.000001')
    const call = await spender('0.000001', 'later')
    await call()
    await until(() => alertsSaid().some(({ subject }) => subject === 'key later'), 'a later one is told')
    assert.equal(said().length, 2, 'a threshold of a period is told once')
  })
})

describe('a receiver that does not accept', () => {
  test('gets the same message again, with the same id, and a redirect is not followed', async () => {
    receiver.received.length = 0
    receiver.answers(302, { location: `${receiver.url}/elsewhere` })
    const call = await spender('0.000001', 'refused')
    await call()
    await until(() => receiver.received.length === 1, 'it is tried')
    const state = async () => (await manage('GET', '/alert-channels')).json.data[0]
    await until(async () => (await state()).last_error !== null, 'the problem is known')
    assert.deepEqual([(await state()).pending, (await state()).last_error], [1, 'it answered 302'])
    const newest = async () => (await manage('GET', '/alert-deliveries?limit=1')).json.data[0]
    const waiting = await newest()
    assert.deepEqual([waiting.channel, waiting.state, waiting.last_error], ['ops', 'pending', 'it answered 302'])
    assert.ok(waiting.next_attempt_at > waiting.created_at)
    receiver.answers(204)
    await until(() => receiver.received.length >= 2, 'it is tried again')
    const [first, second] = receiver.received
    assert.equal(second?.headers['webhook-id'], first?.headers['webhook-id'])
    assert.equal(second?.text, first?.text)
    assert.deepEqual([...new Set(receiver.received.map(({ path }) => path))], ['/hook?team=a'])
    for (const message of receiver.received) verified(message)
    await until(async () => (await state()).pending === 0, 'it is sent')
    const sent = await newest()
    assert.deepEqual([sent.id, sent.state, sent.attempts], [waiting.id, 'sent', 2])
    assert.equal(sent.id, first?.headers['webhook-id'])
    assert.match(sent.alerts[0].summary, /^The key refused in default has spent 100 %/)
    assert.equal((await state()).last_error, null)
  })
})

describe('a channel', () => {
  test('is tested at once, and shows no secret, nor does the audit list', async () => {
    receiver.received.length = 0
    const tested = await manage('POST', `/alert-channels/${id}/test`)
    assert.deepEqual(tested.json, { delivered: true, problem: null })
    const [message] = receiver.received
    assert.ok(message)
    assert.equal(verified(message).type, 'alerts.test')
    for (const path of ['/alert-channels', '/audit', '/alerts']) {
      assert.ok(!(await manage('GET', path)).text.includes(secret.slice(6)), path)
    }
    const { text } = await manage('GET', '/alert-channels')
    assert.ok(text.includes(`${receiver.url}/…`) && !text.includes('team=a'), text)
    const stored = await harness.gateway.store.db.selectFrom('alert_channels').selectAll().execute()
    assert.ok(!JSON.stringify(stored).includes(secret.slice(6)))
  })

  test('that cannot be reached says why', async () => {
    const { json } = await manage('POST', '/alert-channels', {
      name: 'gone',
      kind: 'webhook',
      url: 'http://127.0.0.1:9/x',
    })
    const tested = await manage('POST', `/alert-channels/${json.id}/test`)
    assert.equal(tested.json.delivered, false)
    assert.match(tested.json.problem, /127\.0\.0\.1:9/)
    assert.equal((await manage('DELETE', `/alert-channels/${json.id}`)).status, 204)
    assert.equal((await manage('POST', `/alert-channels/${json.id}/test`)).status, 404)
  })

  test('takes only what its kind has, and is switched off', async () => {
    const refused = async (body: object) => (await manage('POST', '/alert-channels', { name: 'x', ...body })).json.error
    assert.match((await refused({ kind: 'webhook' })).message, /^url: /)
    assert.match((await refused({ kind: 'webhook', url: 'http://169.254.169.254/' })).message, /^url: /)
    assert.match((await refused({ kind: 'webhook', url: 'http://x.test', secret: 'short' })).message, /^secret: /)
    assert.match((await refused({ kind: 'slack', url: 'https://x.test', host: 'y' })).message, /^host: /)
    assert.match((await refused({ kind: 'email', host: 'mail.test' })).message, /^from: /)
    const metadata = { kind: 'email', host: '169.254.169.254', from: 'a@x.test', to: ['b@x.test'] }
    assert.match((await refused(metadata)).message, /^host: a link-local address/)
    assert.equal(
      (await manage('POST', '/alert-channels', { name: 'ops', kind: 'webhook', url: 'http://x' })).status,
      409,
    )
    assert.equal((await manage('PATCH', `/alert-channels/${id}`, { enabled: false })).json.enabled, false)
    assert.equal((await manage('PATCH', `/alert-channels/${id}`, { enabled: true })).json.enabled, true)
  })
})

describe('rules', () => {
  test('have defaults, are changed one by one, and take only what they have', async () => {
    const rules = async () => (await manage('GET', '/alert-rules')).json.data
    const budget = (await rules()).find(({ rule }: Json) => rule === 'budget')
    assert.deepEqual([budget.enabled, budget.thresholds, budget.factor], [true, [50, 80, 100], null])
    assert.equal((await manage('PATCH', '/alert-rules/budget', { factor: 2 })).status, 400)
    assert.equal((await manage('PATCH', '/alert-rules/nothing', {})).status, 404)
    const changed = await manage('PATCH', '/alert-rules/latency', { enabled: false, factor: 4 })
    assert.deepEqual([changed.json.enabled, changed.json.factor, changed.json.calls], [false, 4, 50])
  })
})

test('a key that the provider rejects is an alert, and so are failing calls and a model without a price', async () => {
  receiver.received.length = 0
  const rejected = await manage('PUT', '/providers/rejecting', {
    family: 'openai',
    base_url: harness.simulator.openaiUrl,
    api_key: 'sk-invalid',
  })
  assert.ok(rejected.status < 300, rejected.text)
  for (let calls = 0; calls < 25; calls++) await harness.chat(hello('rejecting/gpt-sim-401'))
  await harness.chat(hello('openai/gpt-sim-echo'))
  const rules = () => new Set(alertsSaid().map(({ rule }) => rule))
  await until(() => rules().has('provider_account') && rules().has('error_rate'), `alerts: ${[...rules()]}`)
  await until(() => rules().has('unpriced'), `alerts: ${[...rules()]}`)
})
