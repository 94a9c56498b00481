/** A call as the vendor bills it. Prices are the vendor's own: dollars per million tokens, in whole micros. */
export interface BilledCall {
  at: number
  key: string
  model: string
  input: number
  output: number
  inputMicros: number
  outputMicros: number
  /** Default: the plain one. Its prices are in the two before. */
  tier?: string
}

export interface ReportOptions {
  adminKey: string
  /** Buckets on a page, however many are asked for. */
  pageSize: number
  /** Every cursor is the same one. */
  repeats?: boolean
}

export interface ReportAnswer {
  status: number
  body: unknown
}

interface Bucket {
  start: number
  end: number
  calls: BilledCall[]
}

const WIDTHS: Readonly<Record<string, number>> = { '1m': 60_000, '1h': 3_600_000, '1d': 86_400_000 }

/** The report APIs of both vendors, answered from a list of calls. */
export function reportAnswer(
  url: URL,
  headers: Readonly<Record<string, string | string[] | undefined>>,
  calls: readonly BilledCall[],
  options: ReportOptions,
): ReportAnswer {
  const given = String(headers['authorization'] ?? headers['x-api-key'] ?? '').replace('Bearer ', '')
  if (given !== options.adminKey) return { status: 401, body: { error: { message: 'no admin key' } } }
  const form = FORMS.find(({ path }) => path.test(url.pathname))
  if (form === undefined) return { status: 404, body: {} }
  const time = (name: string) => form.time(url.searchParams.get(name) ?? '')
  const width = WIDTHS[url.searchParams.get('bucket_width') ?? '1d'] ?? WIDTHS['1d'] ?? 1
  const buckets = bucketsOf(calls, time(form.from), time(form.to), width)
  const first = Number(url.searchParams.get('page') ?? 0)
  const next = first + options.pageSize
  const hasMore = next < buckets.length
  return {
    status: 200,
    body: {
      data: buckets.slice(first, next).map((bucket) => form.bucket(bucket, url.pathname)),
      ...{ has_more: hasMore, next_page: hasMore ? String(options.repeats === true ? 1 : next) : null },
    },
  }
}

function bucketsOf(calls: readonly BilledCall[], from: number, to: number, width: number): Bucket[] {
  const buckets: Bucket[] = []
  for (let start = from - (from % width); start < to; start += width) {
    const end = start + width
    buckets.push({ start, end, calls: calls.filter(({ at }) => at >= start && at < end) })
  }
  return buckets
}

const sum = (calls: readonly BilledCall[], of: (call: BilledCall) => number) =>
  calls.reduce((total, call) => total + of(call), 0)

/** Calls of one key and model, and of one tier where lines have tiers. */
function groups(calls: readonly BilledCall[], hasTiers = false): BilledCall[][] {
  const nameOf = ({ key, model, tier }: BilledCall) => JSON.stringify([key, model, hasTiers ? tier : null])
  return [...Map.groupBy(calls, nameOf).values()]
}

const SIDES = [
  ['input', 'uncached_input_tokens', (call: BilledCall) => call.input * call.inputMicros],
  ['output', 'output_tokens', (call: BilledCall) => call.output * call.outputMicros],
] as const

const FORMS = [
  {
    path: /^\/v1\/organization\/(usage\/\w+|costs)$/,
    ...{ from: 'start_time', to: 'end_time', time: (text: string) => Number(text) * 1000 },
    bucket: ({ start, end, calls }: Bucket, path: string) => ({
      ...{ object: 'bucket', start_time: start / 1000, end_time: end / 1000 },
      results: path.endsWith('/costs') ? groups(calls).flatMap(lineItems) : usageResults(calls, path),
    }),
  },
  {
    path: /^\/v1\/organizations\/(usage_report\/messages|cost_report)$/,
    ...{ from: 'starting_at', to: 'ending_at', time: (text: string) => Date.parse(text) },
    bucket: ({ start, end, calls }: Bucket, path: string) => ({
      ...{ starting_at: new Date(start).toISOString(), ending_at: new Date(end).toISOString() },
      results: path.endsWith('/cost_report') ? groups(calls).flatMap(costLines) : groups(calls).flatMap(tokenLine),
    }),
  },
]

function usageResults(calls: readonly BilledCall[], path: string) {
  if (!path.endsWith('/completions')) return []
  return groups(calls, true).map((own) => ({
    object: 'organization.usage.completions.result',
    ...{ input_tokens: sum(own, ({ input }) => input), output_tokens: sum(own, ({ output }) => output) },
    ...{ input_cached_tokens: 0, num_model_requests: own.length, project_id: null, user_id: null },
    ...{ api_key_id: own[0]?.key, model: own[0]?.model, batch: false, service_tier: own[0]?.tier ?? 'default' },
  }))
}

/** A float of dollars. */
function lineItems(own: readonly BilledCall[]) {
  return SIDES.map(([side, , micros]) => ({
    object: 'organization.costs.result',
    amount: { value: sum(own, micros) / 1e12, currency: 'usd' },
    ...{ line_item: `${own[0]?.model}, ${side}`, project_id: null, api_key_id: own[0]?.key },
  }))
}

function tokenLine(own: readonly BilledCall[]) {
  return [
    {
      ...{ uncached_input_tokens: sum(own, ({ input }) => input), output_tokens: sum(own, ({ output }) => output) },
      ...{ cache_read_input_tokens: 0, cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 } },
      ...{ server_tool_use: { web_search_requests: 0 }, api_key_id: own[0]?.key, workspace_id: null },
      ...{ model: own[0]?.model, service_tier: 'standard', context_window: '0-200k', inference_geo: 'not_available' },
    },
  ]
}

/** A text of cents, four decimals. */
function costLines(own: readonly BilledCall[]) {
  return SIDES.map(([, type, micros]) => ({
    ...{ amount: (sum(own, micros) / 1e10).toFixed(4), currency: 'USD', cost_type: 'tokens', token_type: type },
    ...{ model: own[0]?.model, workspace_id: null, service_tier: 'standard', context_window: '0-200k' },
    ...{ inference_geo: 'not_available', description: `${own[0]?.model} ${type}` },
  }))
}
