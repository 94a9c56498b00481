/** What the log says of a request that was served. */
export interface Served {
  id: string
  endpoint: string | null
  requested_model: string | null
  streamed: boolean
  cost_usd: string | null
  usage: { prompt_tokens: number; total_tokens: number } | null
}

/** Requests of one kind: the same endpoint, model name and way of answering. */
export interface Shape {
  endpoint: string
  model: string
  isStreamed: boolean
  /** Of the typical request. */
  promptTokens: number
  outputTokens: number
  /** The dearest of them. */
  costUsd: string | null
  /** How many there were. */
  count: number
  /** Some of them, the newest first: their content may be stored. */
  ids: string[]
}

const KEPT_IDS = 20

export function shapesOf(rows: readonly Served[]): Shape[] {
  const groups = Map.groupBy(
    rows.filter(
      ({ endpoint, requested_model, usage }) => endpoint !== null && requested_model !== null && usage !== null,
    ),
    ({ endpoint, requested_model, streamed }) => JSON.stringify([endpoint, requested_model, streamed]),
  )
  return [...groups.values()].map(shapeOf).sort((a, b) => b.count - a.count)
}

function shapeOf(rows: Served[]): Shape {
  const [first] = rows
  const prompt = rows.map(({ usage }) => usage?.prompt_tokens ?? 0)
  const output = rows.map(({ usage }) => (usage?.total_tokens ?? 0) - (usage?.prompt_tokens ?? 0))
  const costs = rows.flatMap(({ cost_usd: cost }) => (cost === null ? [] : [cost]))
  return {
    endpoint: String(first?.endpoint),
    model: String(first?.requested_model),
    isStreamed: first?.streamed === true,
    promptTokens: median(prompt),
    outputTokens: median(output),
    costUsd: costs.toSorted((a, b) => Number(b) - Number(a))[0] ?? null,
    count: rows.length,
    ids: rows.slice(0, KEPT_IDS).map(({ id }) => id),
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** How many calls each shape gets: its share of the traffic, at least one, so many in all. */
export function shares(shapes: readonly Shape[], calls: number): number[] {
  const chosen = shapes.slice(0, calls)
  const all = chosen.reduce((sum, { count }) => sum + count, 0)
  const spare = calls - chosen.length
  const exact = chosen.map(({ count }) => (spare * count) / all)
  const given = exact.map((share) => 1 + Math.floor(share))
  const rest = calls - given.reduce((sum, share) => sum + share, 0)
  const byFraction = exact
    .map((share, index) => ({ index, fraction: share % 1 }))
    .sort((a, b) => b.fraction - a.fraction)
  for (const { index } of byFraction.slice(0, rest)) given[index] = (given[index] ?? 0) + 1
  return given
}
