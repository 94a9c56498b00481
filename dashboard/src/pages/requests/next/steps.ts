import { addExact, compareExact } from '../../../format/exact.ts'
import type { ListedRequest } from '../use-requests.ts'

export const RATES = ['rpm', 'tpm', 'max_parallel'] as const
export type Rate = (typeof RATES)[number]
export type Unknown = 'price' | 'max_output_tokens' | 'context_window'

/** What helps against a failure, and with what it is done. */
export type Step =
  | { kind: 'raise'; scope: 'key' | 'workspace'; id: string; what: 'budget' | Rate; needed: string }
  | { kind: 'while'; name: string; usd: string; of: { key?: string; each?: string; value?: string; session?: string } }
  | { kind: 'resume'; session: string }
  | { kind: 'streaming' }
  | { kind: 'allow'; model: string }
  | { kind: 'model'; provider: string; model: string; unknown: Unknown }
  | { kind: 'test'; provider: string }
  | { kind: 'key' }
  | { kind: 'route'; alias: string }
  | { kind: 'new-route'; alias: string }

type Failed = Pick<ListedRequest, 'key_id' | 'code' | 'figures' | 'requested_model' | 'provider' | 'route' | 'session'>

/** Failures that a look at the provider explains. */
const OF_PROVIDERS: ReadonlySet<string | null> = new Set([
  'upstream_error',
  'upstream_timeout',
  'rate_limited',
  'provider_auth_error',
  'provider_quota_exceeded',
  'provider_overloaded',
  'provider_not_configured',
  'no_provider_available',
])

/** Failures that another entry of the route may not have. */
const OF_ROUTES: ReadonlySet<string | null> = new Set([
  ...OF_PROVIDERS,
  'context_length_exceeded',
  'unsupported_parameter',
])

/** The steps that may help, the most likely first. */
export function nextSteps(request: Failed): Step[] {
  const { code, provider, requested_model: model, route, session } = request
  const steps: Step[] = []
  if (code === 'not_implemented') steps.push({ kind: 'streaming' })
  if (isBraked(code) && session !== null) steps.push({ kind: 'resume', session })
  if (code === 'budget_exceeded') steps.push(...whileStep(request))
  if (code === 'budget_exceeded' || code === 'key_rate_limited') steps.push(...raiseStep(request), { kind: 'key' })
  if (code === 'price_unknown' || code === 'length_unknown') steps.push(...modelStep(request), { kind: 'key' })
  if (code === 'forbidden') steps.push(...(model === null ? [] : [{ kind: 'allow', model } as const]), { kind: 'key' })
  if (code === 'model_not_found' && route === null && provider === null && model !== null && isAlias(model))
    steps.push({ kind: 'new-route', alias: model })
  if (OF_PROVIDERS.has(code) && provider !== null) steps.push({ kind: 'test', provider })
  if (OF_ROUTES.has(code) && route !== null) steps.push({ kind: 'route', alias: route })
  return steps
}

function isBraked(code: string | null): boolean {
  return code === 'loop_stopped' || code === 'loop_slowed'
}

function raiseStep({ figures }: Failed): Step[] {
  const { scope, scope_id: id, kind = 'budget', needed, used } = figures
  const what = [...RATES, 'budget' as const].find((name) => name === kind)
  if ((scope !== 'key' && scope !== 'workspace') || id === undefined || what === undefined) return []
  // The budget of a value is one of a list, which is edited at its key or workspace.
  if (figures['each'] !== undefined) return []
  const parts = what === 'budget' ? [figures['spent_usd'], figures['held_usd'], figures['hold_usd']] : [used, needed]
  return [{ kind: 'raise', scope, id: String(id), what, needed: addExact(parts.map((part) => String(part ?? 0))) }]
}

const BY_KEY: ReadonlySet<unknown> = new Set(['session', 'agent', 'key'])

/** More of the budget that has refused the call, for a while: as much as the budget is. */
function whileStep({ key_id: keyId, figures }: Failed): Step[] {
  const { scope, each, value, session, limit_usd: limit } = figures
  if ((scope !== 'key' && scope !== 'workspace') || limit === undefined) return []
  const isByKey = scope === 'key' || BY_KEY.has(each)
  const of = {
    ...(isByKey && { key: keyId }),
    ...(each !== undefined && { each: String(each) }),
    ...(value !== undefined && { value: String(value) }),
    ...(session !== undefined && session !== '' && { session: String(session) }),
  }
  const name = value === undefined ? `this ${scope}` : `${String(each).replace(/^tag:/, '')} ${value}`
  return [{ kind: 'while', name, usd: String(limit), of }]
}

function modelStep({ figures: { provider, model, unknown } }: Failed): Step[] {
  const isKnown = unknown === 'price' || unknown === 'max_output_tokens' || unknown === 'context_window'
  if (typeof provider !== 'string' || typeof model !== 'string' || !isKnown) return []
  return [{ kind: 'model', provider, model, unknown }]
}

function isAlias(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)
}

/** Doubled until what the call needed fits. */
export function raisedTo(limit: string, needed: string): string {
  let raised = limit
  do raised = addExact([raised, raised])
  while (compareExact(raised, needed) < 0)
  return raised
}

/** As the gateway decides it, by the name that the caller sends. */
export function isAllowed(allowed: readonly string[] | null, model: string): boolean {
  if (allowed === null) return true
  return allowed.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model))
}
