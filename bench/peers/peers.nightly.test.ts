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
import { measurePeers } from './peers.ts'
import { peersSummary, peersText } from './report.ts'

// The budget's test must not be slowed by this one.
const turn = await takeTurn(100_000)
after(() => turn[Symbol.dispose]())

const isLinux = existsSync('/proc/self/stat')

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
