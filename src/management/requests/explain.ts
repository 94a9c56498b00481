import { GatewayError } from '../../domain/errors.ts'
import type { ExplainedEntry, Explanation } from '../../domain/explanation.ts'
import { exactUsd, type Picodollars } from '../../domain/pricing/price.ts'
import { isJsonObject } from '../../domain/request/call-request.ts'
import type { explainOperations } from '../contract/explain.ts'
import type { ManagementDeps } from '../deps.ts'
import type { HandlersOf } from '../router.ts'

export function explainHandlers({ explain, snapshot }: ManagementDeps): HandlersOf<typeof explainOperations> {
  const routesOf = (workspace: string) => {
    const found = snapshot().workspaces.get(workspace)
    if (found === undefined) throw new GatewayError('not_found', `There is no workspace '${workspace}'.`)
    return found.routes
  }
  return {
    async 'routes.explain'({ params: { alias }, query: { workspace, key, session }, body }) {
      if (!routesOf(workspace).has(alias)) {
        throw new GatewayError('not_found', `There is no route '${alias}' in workspace '${workspace}'.`)
      }
      const request = isJsonObject(body) ? { ...body, model: alias } : body
      return toExplanationView(await explain(request, { workspace, keyId: key ?? null, session }), request, workspace)
    },
    async 'explain.request'({ query: { workspace, key, session }, body }) {
      routesOf(workspace)
      return toExplanationView(await explain(body, { workspace, keyId: key ?? null, session }), body, workspace)
    },
  }
}

/** `explain` has checked the request: it has a model. */
function toExplanationView(
  { alias, note, advice, error, hold, entries }: Explanation,
  request: unknown,
  workspace: string,
) {
  return {
    workspace,
    model: isJsonObject(request) ? String(request['model']) : '',
    route: alias,
    note,
    advice,
    hold_usd: usdOrNull(hold),
    error: error === null ? null : { code: error.code, message: error.message },
    entries: entries.map(toEntryView),
  }
}

function toEntryView(explained: ExplainedEntry) {
  const { entry } = explained
  return {
    provider: entry.provider,
    model: entry.model,
    timeout_ms: entry.timeoutMs,
    idle_timeout_ms: entry.idleTimeoutMs,
    retries: entry.retries,
    hedge_after_ms: entry.hedgeAfterMs,
    chosen_because: explained.chosenBecause,
    configured: explained.configured,
    circuit: explained.circuit,
    would_be_used: explained.wouldBeUsed,
    skipped_because: explained.skippedBecause,
    refused: explained.refused,
    ignored: [...explained.ignored],
    adjustments: [...explained.adjustments],
    context_window: explained.contextWindow,
    hold_usd: usdOrNull(explained.hold),
    price_percent: explained.pricePercent,
    wire: explained.wire,
  }
}

function usdOrNull(amount: Picodollars | null): string | null {
  return amount === null ? null : exactUsd(amount)
}
