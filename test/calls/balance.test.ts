import assert from 'node:assert/strict'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { LARGE_BYTES } from '../../src/bodies/bodies.ts'
import { FAILURES_TO_OPEN } from '../../src/domain/circuit.ts'
import { type Answered, type Harness, hello, type Json, type Row, startHarness, until } from '../harness.ts'
import { managing } from '../management/manage.ts'

/** Two accounts of one provider, and the models by which the simulator distinguishes them. */
const group = (name: string, fields: string, more = '') =>
  `      ${name}: { chain: [{ ${fields}, members: [{ provider: east, model: ${name}-east, retries: 0${more} }, ` +
  `{ provider: west, model: ${name}-west, retries: 0 }] }, { provider: openai, model: ${name}-last }] }`

const CONFIG = `
providers:
  east: { family: openai, base_url: "\${SIMULATED}", api_key: sk-east-0000000000000000 }
  west: { family: openai, base_url: "\${SIMULATED}", api_key: sk-west-0000000000000000 }
workspaces:
  default:
    routes:
${group('shares', 'balance: weighted', ', weight: 3')}
${group('dead', 'balance: weighted', ', weight: 1000')}
${group('moves', 'balance: weighted')}
${group('fails', 'balance: weighted')}
${group('cools', 'balance: weighted')}
${group('idle', 'balance: least_busy')}
${group('burst', 'balance: least_busy', ', weight: 1000')}
${group('loose', 'balance: least_busy, sticky: false')}
${group('quick', 'balance: fastest')}
${group('told', 'balance: weighted', ', weight: 3')}
`
let now = Date.parse('2026-05-01T12:00:00Z')
const harness: Harness = await startHarness({ config: CONFIG, now: () => now })
const { simulator } = harness
beforeEach(() => simulator.reset())
afterEach(() => simulator.release())
after(() => harness.stop())

const ask = (route: string, session?: string) =>
  harness.chat(hello(route), session === undefined ? {} : { 'x-gateway-session': session })

const servedBy = (answer: Answered) => answer.headers.get('x-gateway-provider')
const attemptsOf = (row: Row): Json[] => JSON.parse(String(row['attempts']))

/** A session that is at this member. */
async function sessionAt(route: string, member: string): Promise<string> {
  for (let tried = 0; tried < 200; tried += 1) {
    const session = `${member}-${tried}`
    if (servedBy(await ask(route, session)) === member) return session
  }
  throw new Error(`no session of ${route} is at ${member}`)
}

const manage = managing(() => harness)
const explain = async (route: string, session: string): Promise<Json[]> => {
  const reply = await manage('POST', `/routes/${route}/explain?session=${session}`, hello(route))
  assert.equal(reply.status, 200)
  return reply.json.entries
}

// First, while no member has failed: one that is resting would get nothing.
test('least_busy spreads calls that arrive together, before any of them is sent', async () => {
  simulator.hold()
  // Large bodies are prepared in a thread: all have chosen before the first one is sent. Among equals nearly all
  // would choose the heavier member.
  const body = hello('burst', { messages: [{ role: 'user', content: 'x'.repeat(2 * LARGE_BYTES) }] })
  const calls = Array.from({ length: 8 }, () => harness.chat(body))
  await until(() => harness.upstream().length >= 8, 'all are under way')
  const east = harness.upstream().filter(({ model }) => model === 'burst-east').length
  assert.ok(east >= 3 && east <= 5, `${east} of 8 calls went east`)
  simulator.release()
  for (const answer of await Promise.all(calls)) assert.equal(answer.status, 200)
})

describe('a group', () => {
  test('spreads calls over its members, and the place behind it is a fallback', async () => {
    const answers = await Promise.all(Array.from({ length: 120 }, () => ask('shares')))
    const east = answers.filter((answer) => servedBy(answer) === 'east').length
    const west = answers.filter((answer) => servedBy(answer) === 'west').length
    assert.equal(east + west, 120)
    // By chance otherwise less often than once in a billion runs: 120 draws at three of four.
    assert.ok(east > west && west > 0, `${east} to ${west}`)
    const row = await harness.rowOf(answers[0]!)
    assert.equal(row['fallback'], 0)
    assert.equal(attemptsOf(row).length, 1)
  })

  test('goes on with the other member where one fails, then leaves it alone', async () => {
    simulator.script(
      'dead-east',
      Array.from({ length: FAILURES_TO_OPEN }, () => ({ status: 500 })),
    )
    const asked: string[][] = []
    while (asked.length < FAILURES_TO_OPEN) {
      const answer = await ask('dead')
      assert.equal(servedBy(answer), 'west')
      const providers = attemptsOf(await harness.rowOf(answer)).map(({ provider }) => provider)
      // One call in a thousand begins at the lighter member.
      if (providers[0] === 'east') asked.push(providers)
    }
    assert.deepEqual(new Set(asked.map(String)), new Set(['east,west']))
    const answer = await ask('dead')
    const row = await harness.rowOf(answer)
    assert.deepEqual([servedBy(answer), row['fallback'], attemptsOf(row).length], ['west', 0, 1])
    simulator.script('dead-west', [{ status: 500 }])
    assert.equal(servedBy(await ask('dead')), 'openai', 'the next place, where no member can serve')
  })
})

describe('a session', () => {
  test('stays at its member, whoever names it', async () => {
    for (const [what, headers, body] of [
      ['a header', { 'x-gateway-session': 'abc' }, {}],
      ['an agent', { 'x-claude-code-session-id': 'abc' }, {}],
      ['the key of the cache', {}, { prompt_cache_key: 'abc' }],
      ['the user', {}, { user: 'abc' }],
    ] as const) {
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => harness.chat(hello('moves', body), { ...headers })),
      )
      assert.equal(new Set(answers.map(servedBy)).size, 1, what)
    }
  })

  test('leaves a member that fails; the row says that its cache is lost; others stay; it comes back', async () => {
    const [east, west] = [await sessionAt('fails', 'east'), await sessionAt('fails', 'west')]
    simulator.script(
      'fails-east',
      Array.from({ length: FAILURES_TO_OPEN }, () => ({ status: 500 })),
    )
    for (let failure = 0; failure < FAILURES_TO_OPEN; failure += 1) {
      const answer = await ask('fails', east)
      assert.equal(servedBy(answer), 'west')
      const [left, served] = attemptsOf(await harness.rowOf(answer))
      assert.match(left.reason, /^upstream_error: .*prompt cache that it had here is lost$/)
      assert.equal(served.reason, 'served')
    }
    const answer = await ask('fails', east)
    assert.equal(servedBy(answer), 'west')
    const [skipped] = attemptsOf(await harness.rowOf(answer))
    assert.deepEqual([skipped.kind, skipped.provider], ['skipped', 'east'])
    assert.match(skipped.reason, /prompt cache that it had here is lost/)
    const stayed = await ask('fails', west)
    assert.equal(servedBy(stayed), 'west')
    assert.doesNotMatch(String((await harness.rowOf(stayed))['attempts']), /lost/)
    now += 31_000
    assert.equal(servedBy(await ask('fails', east)), 'east', 'the trial, and with it the session')
    assert.equal(servedBy(await ask('fails', east)), 'east')
  })

  test('leaves a member that asked to be left alone, for that time', async () => {
    const session = await sessionAt('cools', 'east')
    simulator.script('cools-east', [{ status: 429, headers: { 'retry-after': '20' } }])
    assert.equal(servedBy(await ask('cools', session)), 'west')
    assert.equal(servedBy(await ask('cools', session)), 'west')
    now += 21_000
    assert.equal(servedBy(await ask('cools', session)), 'east')
  })

  test('wins over least_busy, unless the group says otherwise', async () => {
    for (const [route, members] of [
      ['idle', 1],
      ['loose', 2],
    ] as const) {
      simulator.hold()
      const calls = [ask(route, 'same'), ask(route, 'same')]
      await until(() => harness.upstream().length === 2, 'both are under way')
      simulator.release()
      assert.equal(new Set((await Promise.all(calls)).map(servedBy)).size, members, route)
      simulator.reset()
    }
  })
})

describe('a policy', () => {
  test('fastest looks at each once, stays with the faster, and looks again a minute later', async () => {
    const slow = { delayMs: 2_000 }
    simulator.script('quick-east', [slow, slow])
    const first = [servedBy(await ask('quick')), servedBy(await ask('quick'))]
    assert.deepEqual(first.sort(), ['east', 'west'])
    for (let call = 0; call < 5; call += 1) assert.equal(servedBy(await ask('quick')), 'west')
    now += 61_000
    const again = [servedBy(await ask('quick')), servedBy(await ask('quick'))]
    assert.deepEqual(again.sort(), ['east', 'west'])
  })
})

describe('explain', () => {
  test('says why a member comes first, and shows the order that a call gets', async () => {
    const unpinned = await explain('told', '')
    assert.deepEqual(
      unpinned.map(({ provider, would_be_used, chosen_because }) => [provider, would_be_used, chosen_because]),
      [
        ['east', true, 'weight 3 of 4'],
        ['west', false, 'weight 1 of 4'],
        ['openai', false, null],
      ],
    )
    const session = await sessionAt('told', 'west')
    const [pinned] = await explain('told', session)
    assert.deepEqual([pinned.provider, pinned.chosen_because], ['west', 'by the session, over weight 1 of 4'])
  })
})
