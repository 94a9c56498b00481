import { type Attribution, NO_ATTRIBUTION } from '../domain/attribution.ts'
import { eachOf } from '../domain/budgets/each.ts'
import type { LiveKey } from '../domain/key.ts'
import { statedLimits } from '../domain/limits.ts'
import { asPicodollars, exactUsd } from '../domain/pricing/price.ts'
import { isStreaming, type Snapshot } from '../domain/snapshot.ts'
import { bearerOrApiKey } from '../endpoints/bearer-or-api-key.ts'
import { namesInHeaders } from '../endpoints/call-names.ts'
import type { Call, Reply } from '../http/call.ts'
import { jsonReply } from '../http/respond.ts'
import { type BudgetState, budgetState } from '../limits/admission.ts'
import { addRateHeaders } from '../limits/headers.ts'
import { payerOf } from '../limits/payer.ts'
import { asHolder } from './attribution/as-holder.ts'
import { attributedTo } from './attribution/attributed-to.ts'
import { authenticate } from './authenticate.ts'
import type { Deps } from './deps.ts'

/**
 * What a key may use and has used, for its holder: status lines and agents read it. Free. Its headers may name a session or
 * an agent, whose budgets are listed too.
 */
export async function handleKey(call: Call, deps: Deps): Promise<Reply> {
  const snapshot = deps.snapshot()
  const key = await authenticate(call, { keyOf: bearerOrApiKey }, snapshot, deps)
  const payer = payerOf(key, snapshot, namesOf(call, key, snapshot, deps))
  const { workspace } = key
  const [own, joint] = await deps.ledger.status([
    { kind: 'key', id: key.id },
    { kind: 'workspace', id: workspace },
  ])
  const states = [
    own === undefined || key.limits === null ? null : budgetState(own, key.limits),
    joint === undefined || payer.workspace.limits === null ? null : budgetState(joint, payer.workspace.limits),
    ...((await deps.ledger.values?.(payer)) ?? []),
  ]
  const { budget: _, budgets: __, ...rates } = key.limits === null ? {} : statedLimits(key.limits)
  const body = {
    object: 'key',
    name: key.name,
    prefix: key.prefix,
    workspace,
    created_at: new Date(key.createdAt).toISOString(),
    expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
    allowed_models: key.allowedModels,
    streaming: isStreaming(snapshot.workspaces.get(workspace), deps.streams.settings.isOnByDefault),
    limits: rates,
    budgets: states.flatMap((state) => (state === null ? [] : [budgetView(state)])),
  }
  const headers: Record<string, string> = {}
  addRateHeaders(headers, payer, deps.ledger)
  const reply = jsonReply(200, body)
  return { ...reply, headers: { ...reply.headers, ...headers } }
}

function namesOf(call: Call, key: LiveKey, snapshot: Snapshot, { roots }: Deps): Attribution {
  const named = attributedTo(namesInHeaders(call, roots, key.id), NO_ATTRIBUTION, snapshot)
  return key.holder === undefined ? named : asHolder(named, key.holder)
}

function budgetView({ scope, per, limit, spent, held, resetsAt, counter, value }: BudgetState) {
  const left = limit - spent - held
  return {
    scope: scope.kind,
    ...(counter !== undefined && counter.kind !== '' && { each: eachOf(counter) }),
    ...(value != null && counter !== undefined && { value: counter.value }),
    per,
    limit_usd: exactUsd(limit),
    spent_usd: exactUsd(spent),
    held_usd: exactUsd(held),
    remaining_usd: exactUsd(asPicodollars(left < 0n ? 0n : left)),
    resets_at: resetsAt === null ? null : new Date(resetsAt).toISOString(),
  }
}
