import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { deliver, type Ways } from '../../src/alerts/deliver.ts'
import { type Dial, emailMessage, sendEmail } from '../../src/alerts/messages/email.ts'
import { pagerDutyMessages } from '../../src/alerts/messages/pagerduty.ts'
import { slackMessage } from '../../src/alerts/messages/slack.ts'
import type { AlertEvent } from '../../src/domain/alerts/alert.ts'
import type { AlertChannel } from '../../src/domain/alerts/channel.ts'
import type { Resolve } from '../../src/upstream/guarded-lookup.ts'
import { plainSocket } from '../../src/upstream/plain-socket.ts'
import { hello, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'
import { startReceiver } from './receiver.ts'

const FIRED_AT = Date.UTC(2026, 10, 17)
const firing: AlertEvent = {
  alertId: '01alert',
  state: 'firing',
  rule: 'budget',
  severity: 'warning',
  subject: 'key ci',
  workspace: 'default',
  summary: 'The key <ci> & co has spent 80 % of its budget',
  firedAt: FIRED_AT,
  resolvedAt: null,
}
const resolved: AlertEvent = { ...firing, state: 'resolved', resolvedAt: FIRED_AT + 60_000 }
const envelope = { id: 'msg_1', at: FIRED_AT, events: [firing, resolved], isTest: false }

describe('the forms of others', () => {
  test('Slack: a line an alert, its control characters escaped', () => {
    const { url, body } = slackMessage('https://hooks.slack.test/services/T/B/x', envelope)
    assert.equal(url, 'https://hooks.slack.test/services/T/B/x')
    const text = 'The key &lt;ci&gt; &amp; co has spent 80 % of its budget'
    assert.deepEqual(JSON.parse(body), {
      text: `:rotating_light: WARNING: ${text}\n:white_check_mark: Resolved: ${text}`,
    })
  })

  test('PagerDuty: an event an alert, trigger and resolve under one key', () => {
    const bodies = pagerDutyMessages('https://pd.test', 'R0', envelope).map(({ body }) => JSON.parse(body))
    const payload = {
      summary: firing.summary,
      source: 'key ci',
      severity: 'warning',
      component: 'switchyard',
      class: 'budget',
      group: 'default',
    }
    const common = { routing_key: 'R0', dedup_key: '01alert' }
    assert.deepEqual(bodies, [
      { ...common, event_action: 'trigger', payload: { ...payload, timestamp: '2026-11-17T00:00:00.000Z' } },
      { ...common, event_action: 'resolve', payload: { ...payload, timestamp: '2026-11-17T00:01:00.000Z' } },
    ])
  })
})

interface Mail {
  from: string
  to: string[]
  text: string
}

/** A real mail server that keeps what it gets. */
async function startMailServer(mails: Mail[]): Promise<{ port: number; close(): Promise<void> }> {
  const mailServer = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, done) {
      if (username === 'robot' && password === 'correct-horse') done(null, { user: username })
      else done(new Error(`wrong password ${password}`))
    },
    onData(stream, session, done) {
      let text = ''
      stream.on('data', (chunk) => {
        text += chunk
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        mails.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo.map(({ address }) => address), text })
        done()
      })
    },
  })
  await new Promise<void>((resolve) => mailServer.listen(0, '127.0.0.1', resolve))
  return {
    port: (mailServer.server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => mailServer.close(resolve)),
  }
}

describe('on a gateway', async () => {
  const mails: Mail[] = []
  const mailServer = await startMailServer(mails)
  after(() => mailServer.close())
  const receiver = await startReceiver()
  after(() => receiver.close())
  const harness = await startHarness({ environment: { ALERTS_EVERY_SECONDS: '0.1' } })
  after(() => harness.stop())
  const manage = managing(() => harness)

  const mail = {
    ...{ kind: 'email', host: '127.0.0.1', port: mailServer.port, tls: 'none', username: 'robot' },
    ...{ from: 'alerts@example.com', to: ['ops@example.com', 'boss@example.com'] },
  }

  test('an alert goes to Slack, PagerDuty and by e-mail; no list shows their secrets', async () => {
    const secrets = ['correct-horse', '/services/T0/B0/hush', 'R0UTINGKEY']
    const made = await Promise.all([
      manage('POST', '/alert-channels', { name: 'mail', ...mail, secret: secrets[0] }),
      manage('POST', '/alert-channels', { name: 'slack', kind: 'slack', url: receiver.url + secrets[1] }),
      manage('POST', '/alert-channels', { name: 'pd', kind: 'pagerduty', url: receiver.url, secret: secrets[2] }),
    ])
    assert.deepEqual(
      made.map(({ status }) => status),
      [201, 201, 201],
    )
    const limits = { budget: { usd: '0.000001', per: 'day', mode: 'soft' } }
    const { json } = await manage('POST', '/keys', { name: 'ci', limits })
    await harness.chat(hello('gpt-4o', { max_tokens: 5 }), { authorization: `Bearer ${json.value}` })
    await until(() => mails.length > 0 && receiver.received.length > 1, 'all three are told')
    const [email] = mails
    assert.deepEqual([email?.from, email?.to], ['alerts@example.com', mail.to])
    assert.match(email?.text ?? '', /^Subject: Switchyard: CRITICAL: The key ci in default has spent 100 %/m)
    assert.match(email?.text ?? '', /^Message-ID: <msg_\w+@example\.com>\r$/m)
    const [slack, pagerDuty] = ['/services/T0/B0/hush', '/'].map((path) =>
      receiver.received.find((message) => message.path === path),
    )
    assert.match(slack?.json.text, /CRITICAL: The key ci/)
    assert.deepEqual([pagerDuty?.json.routing_key, pagerDuty?.json.event_action], ['R0UTINGKEY', 'trigger'])
    for (const path of ['/alert-channels', '/audit']) {
      const { text } = await manage('GET', path)
      for (const secret of secrets) assert.ok(!text.includes(secret), `${path} shows ${secret}`)
    }
  })

  test('each is tested; what a mail server says about a password does not repeat it', async () => {
    const channels = (await manage('GET', '/alert-channels')).json.data
    for (const { id } of channels) {
      assert.deepEqual((await manage('POST', `/alert-channels/${id}/test`)).json, { delivered: true, problem: null })
    }
    const wrong = await manage('POST', '/alert-channels', { name: 'wrong', ...mail, secret: 'wrong-horse' })
    const tested = await manage('POST', `/alert-channels/${wrong.json.id}/test`)
    assert.equal(tested.json.delivered, false)
    assert.match(tested.json.problem, /wrong password …/)
  })

  test('a password goes to no other server than the one it was given for', async () => {
    const { id } = (await manage('POST', '/alert-channels', { name: 'moved', ...mail, secret: 'correct-horse' })).json
    const change = (body: object) => manage('PATCH', `/alert-channels/${id}`, body)
    for (const body of [{ host: 'evil.test' }, { port: 2525 }, { tls: 'starttls' }]) {
      const { status, json } = await change(body)
      assert.deepEqual([status, json.error.message], [400, 'secret: would go to another server: send it again'])
    }
    assert.equal((await change({ to: ['new@example.com'], host: mail.host })).status, 200)
    assert.equal((await change({ port: 2525, secret: 'correct-horse' })).status, 200)
  })

  test('a mail server whose name leads to a refused address gets nothing', async () => {
    const asked: string[] = []
    const resolve: Resolve = (name, _options, done) => {
      asked.push(name)
      done(null, [{ address: '169.254.169.254', family: 4 }])
    }
    const channel: AlertChannel = {
      ...{ id: 'c', name: 'rebound', kind: 'email', isEnabled: true, minSeverity: 'info', createdAt: 0, secret: null },
      options: { host: 'mail.example.com', from: mail.from, to: mail.to },
    }
    const ways: Ways = {
      dial: (place, timeoutMs) => plainSocket(place, { resolve, timeoutMs }),
      post: async () => ({ status: 204 }),
    }
    const problem = await deliver(channel, envelope, { ...ways, now: Date.now })
    assert.deepEqual(asked, ['mail.example.com'])
    assert.equal(problem, 'mail.example.com resolves to 169.254.169.254, a link-local address')
  })
})

/** More lines than it gets to send before the deadline; with all of them it would be done, and the mail accepted. */
const LINES = 2_000
const EVERY_MS = 5

test('a mail server that always says a little more is given up', async () => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.write('220 slow.test\r\n')
    socket.once('data', () => {
      let left = LINES
      const timer = setInterval(() => {
        left -= 1
        socket.write(left > 0 ? '250-and\r\n' : '250 done\r\n')
        if (left === 0) clearInterval(timer)
      }, EVERY_MS)
      socket.once('close', () => clearInterval(timer))
      socket.on('data', (chunk) => socket.write(/^DATA/.test(String(chunk)) ? '354 go\r\n' : '250 fine\r\n'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const channel: AlertChannel = {
    ...{ id: 'c', name: 'slow', kind: 'email', isEnabled: true, minSeverity: 'info', createdAt: 0, secret: null },
    options: { host: '127.0.0.1', port, tls: 'none', from: 'alerts@example.com', to: ['ops@example.com'] },
  }
  const dial: Dial = async (place) => {
    const socket = connect(place)
    await once(socket, 'connect')
    return socket
  }
  const sent = sendEmail(channel, emailMessage(channel.options, envelope), { dial, timeoutMs: 100 })
  // The other timers of the client have the same length and begin later: this one is always first.
  await assert.rejects(sent, { message: '127.0.0.1 takes too long' })
  const [socket] = sockets
  assert.ok(socket !== undefined)
  await until(() => socket.destroyed, 'the connection is closed')
})
