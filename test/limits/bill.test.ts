import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createRandom } from '../../simulator/random.ts'
import { billOf } from '../crash/prices.ts'
import { type Harness, hello, startHarness, until } from '../harness.ts'
import { assertVerified, hard, type LimitedKey, newKey, newWorkspace, statusOf } from './limited.ts'

/** Whatever may become of a call: the provider has worked for most of them, and its bill says for which. */
const FAULTS = [
  ...['plain', 'sim-echo', 'sim-500', 'sim-429', 'sim-504', 'sim-400', 'sim-hang', 'sim-stall', 'sim-cut'],
  ...['sim-cut-socket', 'sim-reset', 'sim-html', 'sim-empty', 'sim-flaky-50', 'sim-length', 'sim-slow-40'],
]
const PRICES = 'input_per_mtok: "1", output_per_mtok: "5", max_output_tokens: 4096'
const entry = (family: string, prefix: string, fault: string, more = '') =>
  `{ provider: ${family}, model: ${prefix}-${fault}, retries: 0, timeout_ms: 300, idle_timeout_ms: 300${more} }`
const gpt = (fault: string, more = '') => entry('openai', 'gpt', fault, more)
const claude = (fault: string) => entry('anthropic', 'claude', fault)
/** Each fault first, and then what serves, or another fault; alone, and raced by a hedge. */
const ROUTES = FAULTS.flatMap((fault, place) => {
  const other = FAULTS[(place * 7 + 3) % FAULTS.length] ?? 'plain'
  return [
    `      then-${fault}: { chain: [${gpt(fault)}, ${claude(other)}, ${claude('plain')}] }`,
    `      raced-${fault}: { chain: [${gpt(fault, ', hedge_after_ms: 20')}, ${claude('sim-slow-40')}] }`,
  ]
}).join('\n')
const harness: Harness = await startHarness({
  config: `
workspaces:
  default:
    streaming: true
    routes:
${ROUTES}
registry:
${FAULTS.flatMap((fault) => [`openai, model: gpt-${fault}`, `anthropic, model: claude-${fault}`])
  .map((model) => `  - { provider: ${model}, ${PRICES} }`)
  .join('\n')}
`,
})
const { simulator } = harness
after(() => harness.stop())

interface Sample {
  bill: bigint
  counted: bigint
}

/** Looks at bill and budget as long as the work takes. The bill first: whatever it names is held or counted when the budget is read. */
async function sampled(scope: LimitedKey['scope'], work: () => Promise<unknown>): Promise<Sample[]> {
  const samples: Sample[] = []
  let isRunning = true
  const look = async () => {
    const bill = billOf(simulator.bill)
    const { spent, held } = (await statusOf(harness, scope)).periods.total
    samples.push({ bill, counted: spent + held })
  }
  const looking = (async () => {
    for (; isRunning; await turn()) await look()
  })()
  await work()
  isRunning = false
  await looking
  await look()
  return samples
}

async function callOnce(key: LimitedKey, random: () => number): Promise<void> {
  const fault = FAULTS[Math.floor(random() * FAULTS.length)]
  const isStream = random() < 0.4
  const leaves = random() < 0.2
  const afterMs = Math.floor(random() * 60)
  const body = hello(`${random() < 0.3 ? 'raced' : 'then'}-${fault}`, { max_tokens: 40, stream: isStream })
  try {
    const response = await fetch(`${harness.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...key.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(leaves && { signal: AbortSignal.timeout(afterMs) }),
    })
    await response.text()
  } catch {
    // Left, or cut off.
  }
}

for (const seed of [1, 2, 3]) {
  test(`budget ≥ the providers' own bill at every moment, and never above its limit (seed ${seed})`, async () => {
    simulator.reset()
    const random = createRandom(seed)
    await newWorkspace(harness, `billed-${seed}`, {})
    const limit = 60_000_000_000n
    const key = await newKey(harness, hard(limit))
    let refused = 0
    const client = async () => {
      for (let calls = 0; calls < 25; calls++) await callOnce(key, random)
    }
    const samples = await sampled(key.scope, () => Promise.all(Array.from({ length: 8 }, client)))
    await until(async () => (await statusOf(harness, key.scope)).periods.total.held === 0n, 'nothing is held')
    for (const { bill, counted } of samples) {
      assert.ok(counted >= bill, `${bill} were billed, ${counted} counted`)
      assert.ok(counted <= limit, `${counted} of ${limit}`)
    }
    const rows = (await harness.rows()).filter((row) => row['key_id'] === key.id)
    for (const { code } of rows) if (code === 'budget_exceeded') refused++
    const open = rows.filter((row) => row['unconfirmed_most_picodollars'] !== null).length
    assert.ok(
      billOf(simulator.bill) > 0n && open > 10 && refused < rows.length / 2,
      `${open} unconfirmed, ${refused} refused`,
    )
    await assertVerified(harness)
  })
}
