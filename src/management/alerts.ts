import { namesIn } from '../domain/access.ts'
import type { AlertEvent, Severity } from '../domain/alerts/alert.ts'
import type { AlertChannel } from '../domain/alerts/channel.ts'
import { changedChannel, newChannel } from '../domain/alerts/channel-settings.ts'
import type { AlertRule } from '../domain/alerts/rules.ts'
import { targetOf } from '../domain/alerts/target.ts'
import { GatewayError } from '../domain/errors.ts'
import { newId } from '../domain/new-id.ts'
import {
  channelFromRow,
  deleteChannel,
  findChannel,
  listChannels,
  putChannel,
} from '../store/control/alert-channels.ts'
import { readManaged } from '../store/control/alert-managed.ts'
import type { AlertChannelRow, AlertDeliveryRow, AlertRow } from '../store/engine/schema.ts'
import { channelSettings } from './alert-channel-view.ts'
import { refuseManaged } from './alert-managed.ts'
import { alertRuleHandlers } from './alert-rules.ts'
import type { alertOperations } from './contract/alerts.ts'
import { timestamp, timestampOrNull } from './contract/fields.ts'
import { changeBeside, type ManagementDeps } from './deps.ts'
import { decodeCursor, page } from './requests/cursor.ts'
import type { HandlersOf } from './router.ts'

type Handlers = HandlersOf<typeof alertOperations>

export function alertHandlers(deps: ManagementDeps): Handlers {
  return {
    ...listHandlers(deps),
    ...alertRuleHandlers(deps),
    ...deliveryHandlers(deps),
    ...channelHandlers(deps),
    ...testHandler(deps),
  }
}

function listHandlers(deps: ManagementDeps): Pick<Handlers, 'alerts.list'> {
  return {
    async 'alerts.list'({ query: { state, rule, limit, cursor } }, { access }) {
      const after = decodeCursor(cursor, 1)
      let rows = deps.db.selectFrom('alerts').selectAll().where('fired_at', 'is not', null)
      if (access.workspaces !== null) rows = rows.where('workspace', 'in', namesIn(access.workspaces))
      if (state !== undefined) rows = rows.where('resolved_at', state === 'firing' ? 'is' : 'is not', null)
      if (rule !== undefined) rows = rows.where('rule', '=', rule)
      if (after !== null) rows = rows.where('id', '<', String(after[0]))
      const found = await rows
        .orderBy('id', 'desc')
        .limit(limit + 1)
        .execute()
      return page(found, limit, toAlertView, ({ id }) => [id])
    },
  }
}

function deliveryHandlers({ db }: ManagementDeps): Pick<Handlers, 'alert-deliveries.list'> {
  return {
    async 'alert-deliveries.list'({ query: { state, channel_id: channel, limit, cursor } }) {
      const after = decodeCursor(cursor, 1)
      let rows = db
        .selectFrom('alert_deliveries')
        .innerJoin('alert_channels', 'alert_channels.id', 'alert_deliveries.channel_id')
        .selectAll('alert_deliveries')
        .select('alert_channels.name as channel')
      if (state !== undefined) rows = rows.where('state', '=', state)
      if (channel !== undefined) rows = rows.where('channel_id', '=', channel)
      if (after !== null) rows = rows.where('alert_deliveries.id', '<', String(after[0]))
      const found = await rows
        .orderBy('alert_deliveries.id', 'desc')
        .limit(limit + 1)
        .execute()
      return page(found, limit, toDeliveryView, ({ id }) => [id])
    },
  }
}

type ChannelChanges =
  | 'alert-channels.list'
  | 'alert-channels.create'
  | 'alert-channels.update'
  | 'alert-channels.delete'

function channelHandlers(deps: ManagementDeps): Pick<Handlers, ChannelChanges> {
  const { db, secrets } = deps
  const view = async (row: AlertChannelRow) => {
    const isManaged = (await readManaged(db)).channels.includes(row.name)
    const managed_by = isManaged ? ('config' as const) : null
    return { ...channelSettings(row), managed_by, ...(await record(deps, row.id)) }
  }
  return {
    'alert-channels.list': async () => ({ data: await Promise.all((await listChannels(db)).map(view)) }),
    async 'alert-channels.create'({ body }, context) {
      const { channel, signingSecret } = newChannel(body, context.now)
      const row = await changeBeside(deps, context, async (transaction) => {
        const isTaken = (await listChannels(transaction)).some(({ name }) => name === channel.name)
        if (isTaken) throw new GatewayError('conflict', `name: a channel '${channel.name}' already exists.`)
        await putChannel(transaction, secrets, channel, context.now)
        const result = await existing(findChannel(transaction, channel.id), channel.id)
        const resource = `alert-channels/${channel.id}`
        return { result, audit: auditEntry('alert-channels.create', resource, null, channelSettings(result)) }
      })
      return { ...(await view(row)), signing_secret: signingSecret }
    },
    async 'alert-channels.update'({ params: { id }, body }, context) {
      const row = await changeBeside(deps, context, async (transaction) => {
        const before = await existing(findChannel(transaction, id), id)
        await refuseManaged(transaction, 'channels', before.name)
        const isTaken = (await listChannels(transaction)).some((each) => each.name === body.name && each.id !== id)
        if (isTaken) throw new GatewayError('conflict', `name: a channel '${body.name}' already exists.`)
        await putChannel(transaction, secrets, changedChannel(channelFromRow(before, secrets), body), context.now)
        const result = await existing(findChannel(transaction, id), id)
        const [old, changed] = [channelSettings(before), channelSettings(result)]
        return { result, audit: auditEntry('alert-channels.update', `alert-channels/${id}`, old, changed) }
      })
      return view(row)
    },
    'alert-channels.delete': ({ params: { id } }, context) =>
      changeBeside(deps, context, async (transaction) => {
        const before = channelSettings(await existing(findChannel(transaction, id), id))
        await refuseManaged(transaction, 'channels', before.name)
        await deleteChannel(transaction, id)
        return { result: undefined, audit: auditEntry('alert-channels.delete', `alert-channels/${id}`, before, null) }
      }),
  }
}

function testHandler({ db, secrets, testChannel }: ManagementDeps): Pick<Handlers, 'alert-channels.test'> {
  return {
    async 'alert-channels.test'({ params: { id } }, { now }) {
      const channel: AlertChannel = channelFromRow(await existing(findChannel(db, id), id), secrets)
      const problem = await testChannel(channel)
      await db
        .insertInto('alert_deliveries')
        .values(testDelivery(id, problem, now))
        .execute()
      return { delivered: problem === null, problem }
    },
  }
}

/** It has been sent already, and is never sent again: listed so that a failed test is seen later, too. */
function testDelivery(channel: string, problem: string | null, now: number): AlertDeliveryRow {
  return {
    ...{ id: `msg_${newId(now)}`, channel_id: channel, events: '[]', attempts: 1, due_at: now },
    ...{ state: problem === null ? 'sent' : 'failed', lease: null, leased_until: null, last_error: problem },
    ...{ created_at: now, finished_at: now },
  }
}

async function existing(found: Promise<AlertChannelRow | null>, id: string): Promise<AlertChannelRow> {
  const row = await found
  if (row === null) throw new GatewayError('not_found', `There is no alert channel with the id '${id}'.`)
  return row
}

/** What has become of the messages to it. */
async function record({ db }: ManagementDeps, channel: string) {
  const rows = db.selectFrom('alert_deliveries').where('channel_id', '=', channel)
  const counts = await rows
    .select(['state', (select) => select.fn.countAll<number>().as('count')])
    .select((select) => select.fn.max<number | null>('finished_at').as('finished_at'))
    .groupBy('state')
    .execute()
  const newest = await rows.select('last_error').orderBy('id', 'desc').limit(1).executeTakeFirst()
  const of = (state: string) => counts.find((row) => row.state === state)
  return {
    pending: of('pending')?.count ?? 0,
    failed: of('failed')?.count ?? 0,
    last_sent_at: timestampOrNull(of('sent')?.finished_at ?? null),
    last_error: newest?.last_error ?? null,
  }
}

function auditEntry(action: string, resource: string, before: unknown, after: unknown) {
  return { action, workspace: null, resource, before, after }
}

function toAlertView(row: AlertRow) {
  return {
    id: row.id,
    rule: row.rule as AlertRule,
    severity: row.severity as Severity,
    state: row.resolved_at === null ? ('firing' as const) : ('resolved' as const),
    subject: row.subject,
    workspace: row.workspace,
    ...targetOf(row.identity),
    summary: row.summary,
    fired_at: timestamp(row.fired_at ?? row.since),
    resolved_at: timestampOrNull(row.resolved_at),
  }
}

function toDeliveryView(row: AlertDeliveryRow & { channel: string }) {
  const events = JSON.parse(row.events) as AlertEvent[]
  return {
    ...{ id: row.id, channel_id: row.channel_id, channel: row.channel, state: row.state, attempts: row.attempts },
    is_test: events.length === 0,
    alerts: events.map(({ alertId: id, state, severity, summary }) => ({ id, state, severity, summary })),
    created_at: timestamp(row.created_at),
    next_attempt_at: timestampOrNull(row.state === 'pending' ? row.due_at : null),
    finished_at: timestampOrNull(row.finished_at),
    last_error: row.last_error,
  }
}
