import type { Kysely } from 'kysely'
import { type AlertRules, DEFAULT_RULES } from '../../domain/alerts/rules.ts'
import type { Database } from '../engine/schema.ts'

const SETTING = 'alert_rules'

/** The defaults, and what has been set otherwise. */
export async function readAlertRules(db: Kysely<Database>): Promise<AlertRules> {
  const row = await db.selectFrom('settings').select('value').where('name', '=', SETTING).executeTakeFirst()
  const set: Partial<Record<string, object>> = row === undefined ? {} : JSON.parse(row.value)
  const rules = Object.entries(DEFAULT_RULES).map(([rule, settings]) => [rule, { ...settings, ...set[rule] }])
  return Object.fromEntries(rules)
}

export async function writeAlertRules(db: Kysely<Database>, rules: AlertRules): Promise<void> {
  const value = JSON.stringify(rules)
  await db
    .insertInto('settings')
    .values({ name: SETTING, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}
