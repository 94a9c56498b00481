import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import '../../test/built-program.ts'
import { QUICK, type RunOptions } from '../plan.ts'
import { builtProgram, OURS } from '../run/gateway.ts'
import { type Peer, parsePeer } from '../run/peers.ts'
import { takeTurn } from '../run/turn.ts'
import { figuresOf, measurePeers, untilIdle } from './peers.ts'
import { peersSummary, peersText } from './report.ts'

// The budget's test must not be slowed by this one.
const turn = await takeTurn(100_000)
after(() => turn[Symbol.dispose]())

const isLinux = existsSync('/proc/self/stat')

test('a peer is given as name=command', () => {
  const { name, command } = parsePeer('Other=node "a b.js" --x=1 --port=$PORT')
  assert.deepEqual([name, command], ['Other', 'node "a b.js" --x=1 --port=$PORT'])
  for (const text of ['node', 'Other=', '=node']) assert.throws(() => parsePeer(text), /--peer "name=command"/)
})

test('a peer is compared with Switchyard in the same round', () => {
  const share = (name: string, requests: number, cpuMicroseconds: number) => ({
    ...{ name, requests, errors: 1, seconds: 2, cpuMicroseconds },
  })
  const rounds = [1, 5, 2].map((slowness) => [share(OURS, 100, 1_000 * slowness), share('Other', 50, 1_500 * slowness)])
  assert.deepEqual(figuresOf('Other', rounds), {
    ...{ cpuMicroseconds: 60, cpuRatio: 3, cpuRatioSpread: [3, 3], rateRatio: 0.5, requests: 150, errors: 3 },
  })
  assert.deepEqual(figuresOf('absent', rounds), {
    ...{ cpuMicroseconds: null, cpuRatio: null, cpuRatioSpread: null, rateRatio: null, requests: 0, errors: 0 },
  })
})

test('work after the last answer counts until the process is idle, and idling does not', async () => {
  const readings = [100_000, 500_000, 600_000, 605_000, 610_000]
  assert.equal(
    await untilIdle(
      () => readings.shift() ?? assert.fail(),
      async () => {},
    ),
    600_000,
  )
})

/** The bare proxy behind a shell, so that the CPU time is a child's: it prints its address and listens on no given port. */
const PROXY = join(import.meta.dirname, '../run/bare-proxy.ts')
const FORKING: Peer = {
  ...parsePeer(
    `Other=sh -c '"${process.execPath}" "${PROXY}" $PROVIDER_URL hop sk-bench | sed -u "s/.* on /listening on /"; :'`,
  ),
  config: () => 'nothing',
}

test('peers are measured beside Switchyard, or it is said why not', { skip: !isLinux, timeout: 400_000 }, async () => {
  const plan = { ...QUICK, peers: { rounds: 1, seconds: 0.2, warmupSeconds: 0.1 } }
  const peers = [FORKING, parsePeer('Broken=echo no disk left; exit 3')]
  const options: RunOptions = { plan, peers, build: builtProgram(), progress() {} }
  const result = await measurePeers(options, [])
  assert.deepEqual(
    result.rows.map(({ name, oneCore, allCores }) => [name, oneCore.errors, allCores.errors]),
    [
      [OURS, 0, 0],
      [`${OURS}, ${cpus().length} serving threads`, 0, 0],
      ['Other', 0, 0],
    ],
  )
  // Threads on one core would only be in each other's way.
  const alone = result.rows.filter(({ oneCore }) => oneCore.cpuRatio === null)
  assert.deepEqual(
    alone.map(({ name }) => name),
    [`${OURS}, ${cpus().length} serving threads`],
  )
  for (const { allCores } of result.rows)
    assert.ok(Number(allCores.cpuRatio) > 0 && Number(allCores.rateRatio) > 0, JSON.stringify(result.rows))
  assert.equal(result.problems.length, 2)
  assert.match(result.problems[0] ?? '', /^Broken is not measured on all cores: it does not listen: no disk left$/)
  assert.match(peersText(result), /A quick run.*\n(.*\n)*Broken is not measured on one core/)
  assert.match(peersSummary(result), /^\| Other \| [\d.]+ × \| as its command says \|$/m)
})
