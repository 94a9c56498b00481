import type { SourceName } from './sources.ts'

/** A series of pages to ask for. */
export interface PagesOf {
  source: SourceName
  path: string
  query: [string, string][]
}

/** What is asked of a vendor: these paths, by GET, and nothing else. */
export interface FetchPlan {
  baseUrl: string
  /** Environment variable of the admin key. */
  variable: string
  headers(adminKey: string): Record<string, string>
  pages(from: number, to: number): PagesOf[]
}

const groups = (names: readonly string[]) => names.map((name): [string, string] => ['group_by[]', name])
const seconds = (time: number) => String(Math.floor(time / 1000))
const iso = (time: number) => new Date(time).toISOString()

const TOKEN_GROUPS = ['api_key_id', 'model']
/** Kinds of usage, with what each can be grouped by. */
const OPENAI_KINDS: readonly (readonly [kind: string, groups: readonly string[]])[] = [
  ['completions', [...TOKEN_GROUPS, 'batch', 'service_tier']],
  ['embeddings', TOKEN_GROUPS],
  ['web_search_calls', TOKEN_GROUPS],
  ['file_search_calls', ['api_key_id']],
]

const openai: FetchPlan = {
  baseUrl: 'https://api.openai.com',
  variable: 'OPENAI_ADMIN_KEY',
  headers: (adminKey) => ({ authorization: `Bearer ${adminKey}` }),
  pages(from, to) {
    const range: [string, string][] = [
      ['start_time', seconds(from)],
      ['end_time', seconds(to)],
    ]
    const usage = OPENAI_KINDS.map(
      ([kind, by]): PagesOf => ({
        ...{ source: 'openai-usage', path: `/v1/organization/usage/${kind}` },
        query: [...range, ['bucket_width', '1h'], ['limit', '168'], ...groups(by)],
      }),
    )
    const costs: [string, string][] = [...range, ['bucket_width', '1d'], ['limit', '31']]
    const by = groups(['line_item', 'api_key_id'])
    return [...usage, { source: 'openai-costs', path: '/v1/organization/costs', query: [...costs, ...by] }]
  },
}

const anthropic: FetchPlan = {
  baseUrl: 'https://api.anthropic.com',
  variable: 'ANTHROPIC_ADMIN_KEY',
  headers: (adminKey) => ({ 'x-api-key': adminKey, 'anthropic-version': '2023-06-01' }),
  pages(from, to) {
    const range: [string, string][] = [
      ['starting_at', iso(from)],
      ['ending_at', iso(to)],
    ]
    const by = ['api_key_id', 'workspace_id', 'model', 'service_tier', 'context_window', 'inference_geo']
    return [
      {
        ...{ source: 'anthropic-usage', path: '/v1/organizations/usage_report/messages' },
        query: [...range, ['bucket_width', '1h'], ['limit', '168'], ...groups(by)],
      },
      {
        ...{ source: 'anthropic-costs', path: '/v1/organizations/cost_report' },
        query: [...range, ['bucket_width', '1d'], ['limit', '31'], ...groups(['workspace_id', 'description'])],
      },
    ]
  },
}

export const FETCH_PLANS: Readonly<Record<string, FetchPlan>> = { openai, anthropic }
