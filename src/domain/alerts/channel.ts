import { z } from 'zod'
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

const Text = z.string().min(1).max(500)
const Email = z.string().regex(/^[^\s@<>]+@[^\s@<>]+$/, 'an address such as ops@example.com')

/** What may be set; each kind has some of them. */
export const ChannelSettings = z.strictObject({
  enabled: z.boolean().optional(),
  min_severity: z.enum(SEVERITIES).optional(),
  url: Text.optional().describe('Of a webhook; of Slack, its incoming webhook; of PagerDuty, if not the usual one'),
  secret: Text.optional().describe('Signs webhooks (`whsec_…`, created if missing); routing key; SMTP password'),
  host: Text.optional().describe('Of the mail server'),
  port: z.int().min(1).max(65_535).optional(),
  tls: z.enum(['starttls', 'implicit', 'none']).optional().describe('Of the mail server; default `starttls`'),
  username: Text.optional(),
  from: Email.optional(),
  to: z.array(Email).min(1).max(50).optional(),
})

/** In a configuration file, under its name. */
export const ChannelDefinition = ChannelSettings.extend({ kind: z.enum(CHANNEL_KINDS) })
