import type { z } from 'zod'
import type { ProviderStatus } from '../domain/gateway-status.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import type { GatewayStatus, statusOperations } from './contract/status.ts'
import type { ManagementDeps } from './deps.ts'
import type { HandlersOf } from './router.ts'

type Shown = z.input<typeof GatewayStatus>

export function statusHandlers({ status, configFile }: ManagementDeps): HandlersOf<typeof statusOperations> {
  return {
    async 'status.get'(_input, { now, access }) {
      const { startedAt, inFlight, log, catalog, providers, ...rest } = await status()
      return {
        ...rest,
        started_at: timestamp(startedAt),
        uptime_seconds: Math.max(0, Math.floor((now - startedAt) / 1000)),
        config_file: configFile,
        in_flight: inFlight,
        log: { lag_rows: log.lagRows, last_error: log.lastError },
        catalog: catalog.map(({ readAt, ...list }) => ({ ...list, read_at: timestampOrNull(readAt) })),
        providers: providers
          .map(shownProvider)
          .map((each) => (access.workspaces === null ? each : { ...each, last_error: null })),
      }
    },
  }
}

function shownProvider({ name, family, configured, circuits, health }: ProviderStatus): Shown['providers'][number] {
  const { recentCalls, recentErrors, lastSuccessAt, lastError } = health
  return {
    name,
    family,
    configured,
    circuits: circuits.flatMap(({ model, state, until }) =>
      state === 'closed' ? [] : [{ model, state, until: timestampOrNull(until) }],
    ),
    last_error: lastError === null ? null : shownError(lastError),
    last_success_at: timestampOrNull(lastSuccessAt),
    calls_5m: recentCalls,
    errors_5m: recentErrors,
  }
}

function shownError({ at, requestId, ...rest }: NonNullable<ProviderStatus['health']['lastError']>) {
  return { ...rest, at: timestamp(at), request_id: requestId }
}
