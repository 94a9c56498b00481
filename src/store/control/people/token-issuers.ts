import type { Kysely } from 'kysely'
import { revocationKey, type TokenIssuer, TokenIssuerSettings } from '../../../domain/tokens/token-issuer.ts'
import type { TokenIssuersTable, TokenRevocationsTable } from '../../engine/people-schema.ts'
import type { Database } from '../../engine/schema.ts'

/** What calls read of them: those that are enabled, by the issuer that tokens name. */
export function issuerMap(
  rows: readonly TokenIssuersTable[],
  revocations: readonly TokenRevocationsTable[],
): Map<string, TokenIssuer> {
  const all = rows.map((row) => {
    const own = revocations.filter(({ issuer }) => issuer === row.name)
    const revoked = new Map(own.map(({ claim, value, until }) => [revocationKey(claim, value), until]))
    return { ...settingsOfIssuer(row), name: row.name, source: row.settings, revoked }
  })
  return new Map(all.filter(({ enabled }) => enabled).map((issuer) => [issuer.issuer, issuer]))
}

export function settingsOfIssuer({ settings }: Pick<TokenIssuersTable, 'settings'>): TokenIssuerSettings {
  return TokenIssuerSettings.parse(JSON.parse(settings))
}

export function listTokenIssuers(db: Kysely<Database>): Promise<TokenIssuersTable[]> {
  return db.selectFrom('token_issuers').selectAll().orderBy('name').execute()
}

export async function findTokenIssuer(
  db: Kysely<Database>,
  by: { name: string } | { issuer: string },
): Promise<TokenIssuersTable | null> {
  const [column, value] = 'name' in by ? (['name', by.name] as const) : (['issuer', by.issuer] as const)
  return (await db.selectFrom('token_issuers').selectAll().where(column, '=', value).executeTakeFirst()) ?? null
}

export async function putTokenIssuer(
  db: Kysely<Database>,
  name: string,
  settings: TokenIssuerSettings,
  now: number,
): Promise<void> {
  const content = { issuer: settings.issuer, settings: JSON.stringify(settings), updated_at: now }
  await db
    .insertInto('token_issuers')
    .values({ name, created_at: now, ...content })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(content))
    .execute()
}

/** With its revocations: under the same name another issuer may follow. */
export async function deleteTokenIssuer(db: Kysely<Database>, name: string): Promise<void> {
  await db.deleteFrom('token_revocations').where('issuer', '=', name).execute()
  await db.deleteFrom('token_issuers').where('name', '=', name).execute()
}

export function listTokenRevocations(db: Kysely<Database>, issuer: string): Promise<TokenRevocationsTable[]> {
  return db
    .selectFrom('token_revocations')
    .selectAll()
    .where('issuer', '=', issuer)
    .orderBy('created_at', 'desc')
    .orderBy('claim')
    .orderBy('value')
    .execute()
}

type Revoked = Pick<TokenRevocationsTable, 'issuer' | 'claim' | 'value'>

export async function putTokenRevocation(db: Kysely<Database>, revocation: TokenRevocationsTable): Promise<void> {
  await deleteTokenRevocation(db, revocation)
  await db.insertInto('token_revocations').values(revocation).execute()
}

/** What it was; null where there was none. */
export async function deleteTokenRevocation(
  db: Kysely<Database>,
  { issuer, claim, value }: Revoked,
): Promise<TokenRevocationsTable | null> {
  const rows = db.deleteFrom('token_revocations').where('issuer', '=', issuer).where('claim', '=', claim)
  return (await rows.where('value', '=', value).returningAll().executeTakeFirst()) ?? null
}
