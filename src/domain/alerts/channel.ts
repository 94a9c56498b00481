import { SEVERITIES, type Severity } from './alert.ts'

export const CHANNEL_KINDS = ['webhook', 'slack', 'pagerduty', 'email'] as const
export type ChannelKind = (typeof CHANNEL_KINDS)[number]

/** Where alerts go. Secrets are apart: they are encrypted and never shown. */
export interface AlertChannel {
  id: string
  name: string
  kind: ChannelKind
  isEnabled: boolean
  minSeverity: Severity
  options: ChannelOptions
  secret: string | null
  /** Unix milliseconds. */
  createdAt: number
}

export interface ChannelOptions {
  /** Of a webhook, or of PagerDuty where it is not the usual one. Slack's is its secret. */
  url?: string
  host?: string
  port?: number
  tls?: 'starttls' | 'implicit' | 'none'
  username?: string
  from?: string
  to?: string[]
}

export function reaches(channel: Pick<AlertChannel, 'isEnabled' | 'minSeverity'>, severity: Severity): boolean {
  return channel.isEnabled && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(channel.minSeverity)
}
