import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startSimulator } from '../../simulator/simulator.ts'
import { ADMIN_KEY, KEY, newFolder, startHarness, until } from '../harness.ts'
import { startProcess } from '../process.ts'
import { ask, assertVerified, CONFIG, holdOfAsk, statusOf, usd } from './limited.ts'

const ROUNDS = 3
const FIT = 40n
const VALUE = 'gw_live_crash000000000000000000000000000'
const hold = holdOfAsk('plain')
const LIMIT = FIT * hold
const config = CONFIG.replace(
  '    routes:',
  `    keys: { cut: { value: ${VALUE}, limits: { budget: { usd: "${usd(LIMIT)}", per: total } } } }\n    routes:`,
)

test('a budget survives kill -9 in the middle: nothing stays held, and every counter is what the rows say', async () => {
  const folder = newFolder()
  const simulator = await startSimulator()
  writeFileSync(join(folder, 'switchyard.yaml'), config)
  const environment = {
    DATA_DIR: join(folder, 'data'),
    GATEWAY_KEY: KEY,
    ADMIN_KEY,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: simulator.openaiUrl,
    ANTHROPIC_API_KEY: 'sk-ant-test',
    ANTHROPIC_BASE_URL: simulator.anthropicUrl,
  }
  const chats = () => simulator.calls.filter((call) => call.method === 'POST').length
  let acknowledged = 0
  for (let round = 0; round < ROUNDS; round++) {
    const gateway = startProcess({ folder, environment })
    const url = await gateway.url()
    const call = () =>
      fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${VALUE}`, 'content-type': 'application/json' },
        body: JSON.stringify(ask('plain')),
      }).then(
        (answer) => answer.status,
        () => 0,
      )
    // Some are answered, then more are cut off while the provider has them than could be paid with their holds.
    for (let each = 0; each < 4; each++) if ((await call()) === 200) acknowledged++
    simulator.hold()
    const seen = chats()
    let refused = 0
    const cut = Array.from({ length: 60 }, () =>
      call().then((status) => {
        if (status === 402) refused++
        return status
      }),
    )
    await until(() => chats() - seen + refused === 60, 'all have arrived')
    assert.ok(chats() - seen <= Number(FIT), 'no more than the budget has room for')
    assert.ok(refused > 0)
    assert.ok(await gateway.stop('SIGKILL').then((code) => code === null))
    await Promise.all(cut)
    simulator.release()
  }
  await simulator.close()

  const harness = await startHarness({ folder, config })
  try {
    await assertVerified(harness)
    const rows = (await harness.rows()).filter((row) => row['requested_model'] === 'plain')
    // What was cut off may be billed: its hold counts, although it is no cost.
    const counted = (row: (typeof rows)[number]) =>
      BigInt(Number(row['cost_picodollars'])) + BigInt(Number(row['unconfirmed_counted_picodollars']))
    const costs = rows.map(counted)
    const scope = { kind: 'key', id: String(rows[0]?.['key_id']) } as const
    const { spent, held } = (await statusOf(harness, scope)).periods.total
    assert.equal(held, 0n)
    assert.equal(
      spent,
      costs.reduce((a, b) => a + b, 0n),
    )
    assert.ok(spent > 0n && spent <= LIMIT)
    assert.equal(rows.filter((row) => row.status === 200).length, acknowledged)
    assert.ok(rows.some((row) => row.code === 'interrupted' && row['hold_picodollars'] === Number(hold)))
  } finally {
    await harness.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})
