import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { KEY, until } from '../harness.ts'
import { ask, CONFIG, hard } from '../limits/limited.ts'
import { isInUse, startNginx } from '../nginx.ts'
import { startCluster } from './cluster.ts'

/** At length: npm run test:rolling. */
const CALLS = Number(process.env['ROLLING_CALLS'] ?? 1_500)
const CALLERS = 8
/** The gateway that starts needs the processor, too. */
const PAUSE_MS = 15

test(`three gateways are restarted one after the other behind nginx, and none of ${CALLS} calls fails`, {
  timeout: 1_800_000,
}, async (t) => {
  const cluster = await startCluster({ nodes: 3, config: CONFIG, environment: { DRAIN_IDLE_MS: '2000' } })
  t.after(() => cluster.stop())
  const [first] = cluster.nodes
  assert.ok(first !== undefined)
  const nginx = await startNginx(cluster.nodes.map(({ url }) => Number(new URL(url).port)))
  t.after(() => nginx.stop())
  const made = await first.manage('POST', '/keys', { name: 'limited', limits: hard(1_000_000_000_000_000n) })
  assert.equal(made.status, 201, made.text)
  const keys = [KEY, String(made.json.value)]
  for (const { url } of cluster.nodes) {
    const isKnown = async () => (await fetch(`${url}/v1/models`, { headers: bearer(keys[1]) })).status === 200
    await until(isKnown, 'the new key is known')
  }
  const failed: string[] = []
  let [begun, served] = [0, 0]
  let isRolling = true

  async function caller(): Promise<void> {
    while (begun < CALLS || isRolling) {
      await sleep(PAUSE_MS)
      const number = begun++
      const body = JSON.stringify({ ...ask('plain'), stream: number % 3 === 0 })
      const headers = { ...bearer(keys[number % 2]), 'content-type': 'application/json' }
      const outcome = await fetch(`${nginx.url}/v1/chat/completions`, { method: 'POST', headers, body }).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        (error: Error) => ({ status: 0, text: `${error} ${error.cause}` }),
      )
      const isWhole = number % 3 !== 0 || outcome.text.includes('[DONE]')
      if (outcome.status === 200 && isWhole) served++
      else failed.push(`${new Date().toISOString()} ${outcome.status} ${outcome.text.slice(0, 300)}`)
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)
  let restarts = 0
  try {
    do {
      for (const node of cluster.nodes) {
        const before = begun
        assert.equal(await node.stop(), 0)
        await until(() => begun > before + 50, 'calls go on')
        assert.equal(await node.start(), true)
        restarts++
        await until(() => isInUse(node.url), 'nginx sends it calls again')
      }
    } while (begun < CALLS)
  } finally {
    isRolling = false
    await Promise.all(callers)
  }
  t.diagnostic(`${restarts} restarts, ${served} of ${begun} calls served`)
  if (failed.length > 0) t.diagnostic(nginx.problems())
  assert.deepEqual(failed, [])
  // Nothing that was answered is missing, and every counter equals the log.
  const rows = async () => {
    const { json } = await first.manage('GET', '/usage')
    return json.total.requests === served
  }
  await until(rows, `the log has ${served} calls`)
  const { json } = await first.manage('POST', '/verify')
  assert.deepEqual(json.differences, [])
})

function bearer(key: string | undefined): Record<string, string> {
  return { authorization: `Bearer ${key}` }
}
