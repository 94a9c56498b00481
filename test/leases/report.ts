import { percentilesOf, sum } from '../../bench/load/percentiles.ts'
import { tableText } from '../../bench/report/table.ts'
import { type Outcome, PHASES, type PhaseFigures, type Scenario } from './simulation.ts'

export interface LeasesRow {
  scenario: Scenario
  outcome: Outcome
  /** CPU of the real one, per call. */
  valkeyMicroseconds: number
}

export function leasesText(rows: readonly LeasesRow[]): string {
  return tableText(lines(rows))
}

function lines(rows: readonly LeasesRow[]): string[][] {
  const phases = PHASES.map((phase) => `waits a call, ${phase}`)
  const titles = [
    'nodes',
    'limited keys',
    'calls/s',
    'round trip',
    'holds in the budget',
    ...phases,
    'waited p99',
    'messages a node and second',
    'Valkey µs a call',
  ]
  return [
    [...titles, 'refused too soon', '503', 'killed', 'stranded', 'overspent'],
    ...rows.map(({ scenario, outcome, valkeyMicroseconds }) => {
      const { phases, seconds } = outcome
      const all = PHASES.map((phase) => phases[phase])
      const total = (of: (figures: PhaseFigures) => number) => sum(all.map(of))
      const waited = percentilesOf(all.flatMap(({ waitedMs }) => waitedMs)).p99
      return [
        String(scenario.nodes),
        String(scenario.keys),
        String(scenario.rate),
        `${scenario.roundTripMs} ms`,
        scenario.holds.toLocaleString('en'),
        ...all.map(({ calls, trips }) => (calls < LEAST_CALLS ? '–' : (trips / calls).toFixed(3))),
        `${waited.toFixed(1)} ms`,
        (total(({ messages }) => messages) / seconds / scenario.nodes).toFixed(0),
        valkeyMicroseconds.toFixed(0),
        `${total(({ refusedTooSoon }) => refusedTooSoon)} of ${total(({ refused }) => refused)}`,
        String(total(({ unavailable }) => unavailable)),
        String(scenario.killed),
        `${(outcome.stranded * 100).toFixed(2)} %`,
        outcome.isOverspent ? 'YES' : 'no',
      ]
    }),
  ]
}

/** A ratio of fewer says nothing. */
const LEAST_CALLS = 50
