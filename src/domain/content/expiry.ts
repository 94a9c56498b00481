import type { ContentSettings } from './settings.ts'

const DAY_MS = 86_400_000

/** Unix milliseconds. */
export function contentExpiry({ retention_days }: Pick<ContentSettings, 'retention_days'>, storedAt: number): number {
  return storedAt + retention_days * DAY_MS
}
