import type { Transaction } from 'kysely'
import type { AlertChannel } from '../../domain/alerts/channel.ts'
import { newChannel } from '../../domain/alerts/channel-settings.ts'
import { isBuiltin, ownRule, ruleFields, ruleProblem } from '../../domain/alerts/own-rules.ts'
import { type AlertRule, DEFAULT_RULES } from '../../domain/alerts/rules.ts'
import { GatewayError } from '../../domain/errors.ts'
import type { FileConfig } from '../../domain/file-config.ts'
import { channelFromRow, deleteChannel, listChannels, putChannel } from '../control/alert-channels.ts'
import { type ManagedAlerts, readManaged, writeManaged } from '../control/alert-managed.ts'
import { missingTarget, readAllRules, writeAlertRules, writeOwnRules } from '../control/alert-rules.ts'
import type { Database } from '../engine/schema.ts'
import type { Secrets } from '../engine/secrets.ts'
import { StoreError } from '../engine/store-error.ts'
import type { ViewedObject } from './config-view.ts'

type Db = Transaction<Database>
export type AlertRows = Awaited<ReturnType<typeof readAlertRows>>

export async function readAlertRows(db: Db) {
  return { ...(await readAllRules(db)), channels: await listChannels(db), managed: await readManaged(db) }
}

export function viewedAlerts({ builtin, own, channels, managed }: AlertRows, secrets: Secrets): ViewedObject[] {
  const owner = (kind: keyof ManagedAlerts, name: string) => (managed[kind].includes(name) ? ('config' as const) : null)
  const viewedRule = (name: string, fields: object): ViewedObject => {
    const resource = `alert-rules/${name}`
    const managedBy = owner('rules', name)
    return { resource, auditResource: resource, workspace: null, managedBy, fields: { ...fields }, secrets: {} }
  }
  return [
    ...Object.entries(builtin).map(([name, settings]) => viewedRule(name, settings)),
    ...own.map(({ name, settings, ...rest }) => viewedRule(name, { ...rest, ...settings })),
    ...channels.map((row): ViewedObject => {
      const { name, kind, isEnabled, minSeverity, options, secret } = channelFromRow(row, secrets)
      const { url = null, ...shown } = options
      return {
        resource: `alert-channels/${name}`,
        auditResource: `alert-channels/${row.id}`,
        workspace: null,
        managedBy: owner('channels', name),
        fields: { kind, enabled: isEnabled, min_severity: minSeverity, ...shown },
        // What follows the host of a webhook is often a secret.
        secrets: { url, secret },
      }
    }),
  ]
}

interface Applying {
  db: Db
  secrets: Secrets
  config: FileConfig
  now: number
}

export async function applyAlerts(applying: Applying): Promise<void> {
  const { db, config } = applying
  const { rules, channels } = config.alerts
  if (Object.keys(rules).length + Object.keys(channels).length === 0) return
  await applyRules(applying)
  await applyChannels(applying)
  const managed = await readManaged(db)
  const union = (names: readonly string[], more: object) => [...new Set([...names, ...Object.keys(more)])].sort()
  await writeManaged(db, { rules: union(managed.rules, rules), channels: union(managed.channels, channels) })
}

async function applyRules({ db, config }: Applying): Promise<void> {
  const { builtin, own } = await readAllRules(db)
  const set: Record<string, object> = { ...builtin }
  const named = new Map(own.map((rule) => [rule.name, rule]))
  for (const [name, definition] of Object.entries(config.alerts.rules)) {
    const kind = isBuiltin(name) ? name : definition.rule
    if (kind === undefined) throw wrong('rules', name, 'rule: is missing')
    if (kind !== (definition.rule ?? kind)) throw wrong('rules', name, `rule: '${name}' is a built-in rule`)
    const rule = ownRule({ ...definition, name, rule: kind })
    const problem = ruleProblem(kind, ruleFields(definition))
    if (problem !== null) throw wrong('rules', name, problem)
    if (!isBuiltin(name)) named.set(name, rule)
    else if (isLimited(rule)) throw wrong('rules', name, 'a built-in rule watches everything; add one of your own')
    else set[name] = rule.settings
  }
  await writeAlertRules(db, set as unknown as typeof builtin)
  await writeOwnRules(db, [...named.values()])
}

/** After pruning: a rule of the file may name what it has just removed. */
export async function checkRuleTargets(db: Db, { alerts }: FileConfig): Promise<void> {
  for (const rule of (await readAllRules(db)).own) {
    const problem = Object.hasOwn(alerts.rules, rule.name) ? await missingTarget(db, rule) : null
    if (problem !== null) throw wrong('rules', rule.name, problem)
  }
}

function isLimited({ workspace, key, route, provider }: ReturnType<typeof ownRule>): boolean {
  return [workspace, key, route, provider].some((target) => target !== null)
}

async function applyChannels({ db, secrets, config, now }: Applying): Promise<void> {
  const rows = await listChannels(db)
  for (const [name, definition] of Object.entries(config.alerts.channels)) {
    const row = rows.find((each) => each.name === name)
    if (row !== undefined && row.kind !== definition.kind) throw wrong('channels', name, `kind: it is ${row.kind} now`)
    if (definition.kind === 'webhook' && definition.secret === undefined) {
      throw wrong('channels', name, 'secret: is missing; use whsec_ and at least 24 bytes in base64')
    }
    const present = row === undefined ? null : channelFromRow(row, secrets)
    const made = channelOf(name, definition, now)
    const channel = present === null ? made : { ...made, id: present.id, createdAt: present.createdAt }
    if (!isSame(channel, present)) await putChannel(db, secrets, channel, now)
  }
}

function channelOf(name: string, definition: FileConfig['alerts']['channels'][string], now: number): AlertChannel {
  try {
    return newChannel({ ...definition, name }, now).channel
  } catch (error) {
    if (error instanceof GatewayError) throw wrong('channels', name, error.message)
    throw error
  }
}

function isSame(channel: AlertChannel, present: AlertChannel | null): boolean {
  const text = (one: AlertChannel) =>
    JSON.stringify(Object.entries({ ...one, options: 0 }).sort()) + sortedText(one.options)
  return present !== null && text(channel) === text(present)
}

function sortedText(options: object): string {
  return JSON.stringify(Object.entries(options).sort())
}

/** A built-in rule is the shipped one again. */
export async function pruneAlert(db: Db, kind: string, name: string, id: string): Promise<void> {
  const managed = await readManaged(db)
  const without = (names: readonly string[]) => names.filter((each) => each !== name)
  if (kind === 'alert-channels') {
    await deleteChannel(db, id)
    await writeManaged(db, { ...managed, channels: without(managed.channels) })
    return
  }
  const { builtin, own } = await readAllRules(db)
  if (isBuiltin(name)) await writeAlertRules(db, { ...builtin, [name]: DEFAULT_RULES[name as AlertRule] })
  else {
    await writeOwnRules(
      db,
      own.filter((rule) => rule.name !== name),
    )
  }
  await writeManaged(db, { ...managed, rules: without(managed.rules) })
}

function wrong(section: 'rules' | 'channels', name: string, problem: string): StoreError {
  return new StoreError(`alerts.${section}.${name}.${problem}`)
}
