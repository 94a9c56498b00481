import type { Kysely } from 'kysely'
import type { OwnRule } from '../../domain/alerts/own-rules.ts'
import { type AlertRules, DEFAULT_RULES } from '../../domain/alerts/rules.ts'
import type { Database } from '../engine/schema.ts'

const SETTING = 'alert_rules'
const OWN_SETTING = 'alert_own_rules'

export interface AllRules {
  builtin: AlertRules
  /** By name. */
  own: OwnRule[]
}

export async function readAllRules(db: Kysely<Database>): Promise<AllRules> {
  const names = [SETTING, OWN_SETTING]
  const rows = await db.selectFrom('settings').selectAll().where('name', 'in', names).execute()
  const parsed = (name: string) => JSON.parse(rows.find((row) => row.name === name)?.value ?? 'null')
  const set: Partial<Record<string, object>> = parsed(SETTING) ?? {}
  const rules = Object.entries(DEFAULT_RULES).map(([rule, settings]) => [rule, { ...settings, ...set[rule] }])
  return { builtin: Object.fromEntries(rules), own: parsed(OWN_SETTING) ?? [] }
}

export async function writeAlertRules(db: Kysely<Database>, rules: AlertRules): Promise<void> {
  await writeSetting(db, SETTING, rules)
}

export async function writeOwnRules(db: Kysely<Database>, rules: readonly OwnRule[]): Promise<void> {
  await writeSetting(
    db,
    OWN_SETTING,
    rules.toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  )
}

/** Rules name their key: they follow it to its new name. */
export async function renameKeyInRules(db: Kysely<Database>, workspace: string, from: string, to: string) {
  const { own } = await readAllRules(db)
  const isAbout = (rule: OwnRule) => rule.workspace === workspace && rule.key === from
  if (!own.some(isAbout)) return
  await writeOwnRules(
    db,
    own.map((rule) => (isAbout(rule) ? { ...rule, key: to } : rule)),
  )
}

async function writeSetting(db: Kysely<Database>, name: string, content: unknown): Promise<void> {
  const value = JSON.stringify(content)
  await db
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** Which of its targets does not exist, so that the rule could never fire; null: all do. */
export async function missingTarget(db: Kysely<Database>, rule: OwnRule): Promise<string | null> {
  const { workspace, key, route, provider } = rule
  const place = workspace ?? ''
  const found = {
    workspace: db.selectFrom('workspaces').select('name').where('name', '=', place),
    key: db
      .selectFrom('keys')
      .select('name')
      .where('workspace', '=', place)
      .where('name', '=', key ?? ''),
    route: db
      .selectFrom('routes')
      .select('alias')
      .where('workspace', '=', place)
      .where('alias', '=', route ?? ''),
    provider: db
      .selectFrom('providers')
      .select('name')
      .where('name', '=', provider ?? ''),
  }
  for (const [target, query] of Object.entries(found)) {
    const name = rule[target as keyof typeof found]
    if (name !== null && (await query.executeTakeFirst()) === undefined) {
      return `${target}: there is no ${target} '${name}'`
    }
  }
  return null
}
