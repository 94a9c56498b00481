import { z } from 'zod'
import { SEVERITIES } from '../../domain/alerts/alert.ts'
import { CHANNEL_KINDS, ChannelSettings } from '../../domain/alerts/channel.ts'
import { ALERT_RULES, RuleSettings } from '../../domain/alerts/rules.ts'
import { Alias, ProviderName } from '../../domain/route.ts'
import { Name, pageOf, paging, Timestamp, WorkspaceName } from './fields.ts'
import { operation } from './operation.ts'

const Rule = z.enum(ALERT_RULES)
const Severity = z.enum(SEVERITIES)
const ManagedBy = z.enum(['config']).nullable().describe('`config`: set in a configuration file')
const DELIVERY_STATES = ['pending', 'sent', 'failed'] as const

export const Alert = z.strictObject({
  id: z.string(),
  rule: Rule,
  severity: Severity,
  state: z.enum(['firing', 'resolved']),
  subject: z.string().describe('What it is about: a budget, a provider and model, a route, a node'),
  workspace: z.string().nullable().describe('Null: it concerns all'),
  key: z.string().nullable().describe('Id of the key it is about'),
  route: z.string().nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  summary: z.string(),
  fired_at: Timestamp,
  resolved_at: Timestamp.nullable(),
})

const rule = RuleSettings.shape
export const AlertRule = z.strictObject({
  name: Name.describe('Of a built-in rule its kind'),
  rule: Rule.describe('Its kind'),
  is_builtin: z.boolean(),
  managed_by: ManagedBy,
  workspace: WorkspaceName.nullable().describe('Null: all workspaces'),
  key: Name.nullable(),
  route: z.string().nullable(),
  provider: z.string().nullable(),
  enabled: rule.enabled,
  thresholds: rule.thresholds.nullable(),
  percent: rule.percent.nullable(),
  factor: rule.factor.nullable(),
  calls: rule.calls.nullable(),
  seconds: rule.seconds.nullable(),
  usd: rule.usd.nullable(),
})

const targets = {
  workspace: WorkspaceName.optional().describe('Only this workspace; required with `key` and `route`'),
  key: Name.optional().describe('Only the budget of this key, by its name'),
  route: Alias.optional().describe('Only this route'),
  provider: ProviderName.optional().describe('Only this provider'),
}

const tls = z.enum(['starttls', 'implicit', 'none'])

export const AlertChannel = z.strictObject({
  id: z.string(),
  name: Name,
  kind: z.enum(CHANNEL_KINDS),
  enabled: z.boolean(),
  min_severity: Severity.describe('Less urgent alerts are not sent here'),
  url: z.string().nullable().describe('Its beginning: what follows the host may be a secret. Null for Slack'),
  host: z.string().nullable(),
  port: z.int().nullable(),
  tls: tls.nullable(),
  username: z.string().nullable(),
  from: z.string().nullable(),
  to: z.array(z.string()).nullable(),
  has_secret: z.boolean(),
  managed_by: ManagedBy,
  created_at: Timestamp,
  pending: z.int().describe('Messages that wait to be sent, or to be sent again'),
  failed: z.int().describe('Messages of the last 30 days that could not be delivered'),
  last_sent_at: Timestamp.nullable(),
  last_error: z.string().nullable().describe('Of the newest message, if it has not arrived'),
})

export const AlertDelivery = z.strictObject({
  id: z.string().describe('Goes out with it, e.g. as `webhook-id`'),
  channel_id: z.string(),
  channel: Name,
  state: z.enum(DELIVERY_STATES).describe('`failed`: no more retries'),
  attempts: z.int(),
  is_test: z.boolean().describe('A test message, about no alert'),
  alerts: z.array(
    z.strictObject({ id: z.string(), state: z.enum(['firing', 'resolved']), severity: Severity, summary: z.string() }),
  ),
  created_at: Timestamp,
  next_attempt_at: Timestamp.nullable().describe('Null: it is over'),
  finished_at: Timestamp.nullable(),
  last_error: z.string().nullable(),
})

const settings = ChannelSettings.shape

const tag = 'Alerts'
const one = z.strictObject({ id: z.string().max(64) })

export const alertOperations = {
  'alerts.list': operation({
    role: 'viewer',
    scope: 'rows',
    method: 'GET',
    path: '/alerts',
    tag,
    summary: 'List the alerts, newest first',
    query: z.strictObject({ state: z.enum(['firing', 'resolved']).optional(), rule: Rule.optional(), ...paging }),
    reply: pageOf(Alert),
  }),
  'alert-rules.list': operation({
    role: 'viewer',
    scope: 'shared',
    method: 'GET',
    path: '/alert-rules',
    tag,
    summary: 'List the rules that raise alerts',
    reply: z.strictObject({ data: z.array(AlertRule) }),
  }),
  'alert-rules.create': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/alert-rules',
    tag,
    summary: 'Add a rule of a built-in kind with its own figures and target',
    body: z.strictObject({ name: Name, rule: Rule, ...RuleSettings.partial().shape, ...targets }),
    reply: AlertRule,
    status: 201,
  }),
  'alert-rules.update': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PATCH',
    path: '/alert-rules/{rule}',
    tag,
    summary: 'Switch a rule on or off, or change its figures',
    params: z.strictObject({ rule: z.string().max(64) }),
    body: RuleSettings.partial(),
    reply: AlertRule,
  }),
  'alert-rules.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/alert-rules/{rule}',
    tag,
    summary: 'Delete a rule that is not built in',
    params: z.strictObject({ rule: z.string().max(64) }),
  }),
  'alert-deliveries.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/alert-deliveries',
    tag,
    summary: 'List the messages about alerts, newest first, and what has become of them',
    query: z.strictObject({ state: z.enum(DELIVERY_STATES).optional(), channel_id: z.string().optional(), ...paging }),
    reply: pageOf(AlertDelivery),
  }),
  'alert-channels.list': operation({
    role: 'viewer',
    scope: 'gateway',
    method: 'GET',
    path: '/alert-channels',
    tag,
    summary: 'List where alerts are sent, by name',
    reply: z.strictObject({ data: z.array(AlertChannel) }),
  }),
  'alert-channels.create': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'POST',
    path: '/alert-channels',
    tag,
    summary: 'Send alerts to a webhook, Slack, PagerDuty or by e-mail',
    body: z.strictObject({ name: Name, kind: z.enum(CHANNEL_KINDS), ...settings }),
    reply: AlertChannel.extend({
      signing_secret: z
        .string()
        .nullable()
        .describe('Of a webhook whose secret was made here: shown now and never again'),
    }),
    status: 201,
  }),
  'alert-channels.update': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'PATCH',
    path: '/alert-channels/{id}',
    tag,
    summary: 'Change where a channel sends to, and what',
    params: one,
    body: z.strictObject({ name: Name.optional(), ...settings }),
    reply: AlertChannel,
  }),
  'alert-channels.delete': operation({
    role: 'admin',
    scope: 'gateway',
    method: 'DELETE',
    path: '/alert-channels/{id}',
    tag,
    summary: 'Delete a channel, and what waits for it',
    params: one,
  }),
  'alert-channels.test': operation({
    role: 'editor',
    scope: 'gateway',
    method: 'POST',
    path: '/alert-channels/{id}/test',
    tag,
    summary: 'Send a test message now',
    params: one,
    reply: z.strictObject({ delivered: z.boolean(), problem: z.string().nullable() }),
    waitsForProvider: true,
  }),
}
