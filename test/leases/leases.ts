import { sum } from '../../bench/load/percentiles.ts'
import { readUsage } from '../../bench/load/process-usage.ts'
import { connectTo } from '../counters.ts'
import { startValkey } from '../valkey.ts'
import { type LeasesRow, leasesText } from './report.ts'
import { type Scenario, simulate } from './simulation.ts'

const USUAL = { keys: 0, rate: 1_000, killed: 0, roundTripMs: 1, seed: 21 }

/** A thousand calls a second over all nodes, and one budget, which ends after some seconds or not at all. */
export const SCENARIOS: readonly Scenario[] = [
  ...[3, 30, 100].flatMap((nodes) => [1_000_000, 2_500].map((holds) => ({ ...USUAL, nodes, holds }))),
  { ...USUAL, nodes: 100, holds: 2_500, roundTripMs: 20 },
  // A thousand calls a second and node over a hundred keys.
  ...[1, 3].map((nodes) => ({ ...USUAL, nodes, keys: 100, rate: 1_000 * nodes, holds: 10_000_000 })),
  // Nodes that die far from the limit, and just before it.
  ...[3, 30, 100].map((nodes) => ({ ...USUAL, nodes, holds: 10_000, killed: Math.ceil(nodes / 10) })),
  { ...USUAL, nodes: 3, rate: 100, holds: 200, killed: 1 },
]

export async function measureLeases(
  progress: (text: string) => void,
  scenarios: readonly Scenario[] = SCENARIOS,
): Promise<LeasesRow[]> {
  await using servers = new AsyncDisposableStack()
  const server = await startValkey()
  servers.defer(() => server.stop())
  const connection = await connectTo(server.url)
  servers.defer(() => connection.close())
  const rows: LeasesRow[] = []
  for (const scenario of scenarios) {
    const { nodes, keys, holds, killed, roundTripMs } = scenario
    progress(`leases: ${nodes} nodes, ${keys} keys, a budget of ${holds} holds, ${killed} killed, ${roundTripMs} ms`)
    const cpu = () => readUsage(server.pid())?.cpuMicroseconds ?? 0
    const before = cpu()
    const outcome = await simulate(connection, scenario)
    const calls = sum(Object.values(outcome.phases).map((figures) => figures.calls))
    const row = { scenario, outcome, valkeyMicroseconds: (cpu() - before) / Math.max(1, calls) }
    rows.push(row)
    progress(leasesText([row]))
  }
  return rows
}
