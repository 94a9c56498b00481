import { DEFAULT_RULES } from '../../domain/alerts/rules.ts'
import { channelFromRow } from '../control/alert-channels.ts'
import type { Secrets } from '../engine/secrets.ts'
import type { AlertRows } from './config-alerts.ts'

/** Rules that differ from the shipped ones, and channels; null where there are none. */
export function exportedAlerts(
  { builtin, own, channels }: AlertRows,
  secrets: Secrets,
  secret: (owner: string, field: string) => unknown,
): { rules?: object; channels?: object } | null {
  const shipped: Record<string, object> = { ...DEFAULT_RULES }
  const changed = Object.entries(builtin).filter(([name, rule]) => text(rule) !== text(shipped[name] ?? {}))
  const rules = Object.fromEntries([
    ...changed,
    ...own.map(({ name, rule, settings, ...targets }) => [name, { rule, ...present(targets), ...settings }]),
  ])
  const sent = Object.fromEntries(
    channels.map((row) => {
      const { name, kind, isEnabled, minSeverity, options, secret: value } = channelFromRow(row, secrets)
      const { url, ...rest } = options
      // Slack's address is its secret.
      const hidden = {
        ...(url === undefined && kind !== 'slack' ? {} : { url: secret(name, 'url') }),
        ...(value === null || kind === 'slack' ? {} : { secret: secret(name, 'secret') }),
      }
      const differing = {
        ...(isEnabled ? {} : { enabled: false }),
        ...(minSeverity === 'info' ? {} : { min_severity: minSeverity }),
      }
      return [name, { kind, ...differing, ...rest, ...hidden }]
    }),
  )
  const parts = {
    ...(Object.keys(rules).length === 0 ? {} : { rules }),
    ...(channels.length === 0 ? {} : { channels: sent }),
  }
  return Object.keys(parts).length === 0 ? null : parts
}

function text(rule: object): string {
  return JSON.stringify(Object.entries(rule).sort())
}

function present(targets: object): object {
  return Object.fromEntries(Object.entries(targets).filter(([, name]) => name !== null))
}
