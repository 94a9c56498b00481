import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import type { Outcome } from './ask.ts'
import { median, type Shape } from './shapes.ts'

export interface Pair {
  here: Outcome
  there: Outcome
}

export interface SideFigures {
  /** `200`, or `200 ×4, 429` */
  status: string
  model: string | null
  promptTokens: number | null
  outputTokens: number | null
  /** Of the calls whose cost is known; null: of none. */
  costUsd: string | null
  /** The median. */
  ms: number
}

export interface Verdict {
  shape: Shape
  calls: number
  here: SideFigures
  there: SideFigures
  /** What differs: `status`, `prompt tokens`, `cost`. */
  differs: string[]
}

export function verdictOn(shape: Shape, pairs: readonly Pair[]): Verdict {
  const [here, there] = [pairs.map((pair) => pair.here), pairs.map((pair) => pair.there)]
  const [ours, theirs] = [figuresOf(here), figuresOf(there)]
  const areStatuses = pairs.every((pair) => classOf(pair.here) === classOf(pair.there))
  const differs = [
    ...(areStatuses ? [] : ['status']),
    ...(isKnownSame(ours.promptTokens, theirs.promptTokens) ? [] : ['prompt tokens']),
    ...(isCostSame(pairs) ? [] : ['cost']),
  ]
  return { shape, calls: pairs.length, here: ours, there: theirs, differs }
}

/** A side that did not serve has nothing to compare. */
function isKnownSame(one: number | null, other: number | null): boolean {
  return one === null || other === null || one === other
}

function classOf({ status }: Outcome): number {
  return Math.floor(status / 100)
}

/** Where both said what a call cost, and counted the same tokens. */
function isCostSame(pairs: readonly Pair[]): boolean {
  return pairs.every(({ here, there }) => {
    if (here.costUsd === null || there.costUsd === null) return true
    if (here.promptTokens !== there.promptTokens || here.outputTokens !== there.outputTokens) return true
    // The header has six decimals here, a float there.
    return Math.abs(Number(here.costUsd) - Number(there.costUsd)) < 0.000_001
  })
}

function figuresOf(outcomes: readonly Outcome[]): SideFigures {
  const costs = outcomes.flatMap(({ costUsd }) => (costUsd === null ? [] : [Number(costUsd)]))
  const sum = costs.reduce((all, cost) => all + cost, 0)
  return {
    status: statuses(outcomes),
    model: outcomes.find(({ model }) => model !== null)?.model ?? null,
    promptTokens: middle(outcomes.map(({ promptTokens }) => promptTokens)),
    outputTokens: middle(outcomes.map(({ outputTokens }) => outputTokens)),
    costUsd: costs.length === 0 ? null : exactUsd(asPicodollars(BigInt(Math.round(sum * 1e12)))),
    ms: Math.round(median(outcomes.map(({ ms }) => ms))),
  }
}

function middle(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null)
  return known.length === 0 ? null : median(known)
}

function statuses(outcomes: readonly Outcome[]): string {
  const counts = Map.groupBy(outcomes, ({ status }) => (status === 0 ? 'no answer' : String(status)))
  return [...counts].map(([status, list]) => (list.length === 1 ? status : `${status} ×${list.length}`)).join(', ')
}
