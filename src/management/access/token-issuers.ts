import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import { GatewayError } from '../../domain/errors.ts'
import type { TokenIssuerSettings } from '../../domain/tokens/token-issuer.ts'
import { findKey } from '../../store/control/keys.ts'
import {
  deleteTokenIssuer,
  deleteTokenRevocation,
  findTokenIssuer,
  listTokenIssuers,
  listTokenRevocations,
  putTokenIssuer,
  putTokenRevocation,
  settingsOfIssuer,
} from '../../store/control/people/token-issuers.ts'
import type { TokenIssuersTable, TokenRevocationsTable } from '../../store/engine/people-schema.ts'
import type { Database } from '../../store/engine/schema.ts'
import { timestamp, timestampOrNull } from '../contract/fields.ts'
import type { tokenIssuerOperations } from '../contract/token-issuers.ts'
import { change, type ManagementDeps } from '../deps.ts'
import { expiry } from '../key-view.ts'
import type { HandlersOf } from '../router.ts'
import { ownersOf, refuseManagedCaller } from './managed-callers.ts'

export function tokenIssuerHandlers(deps: ManagementDeps): HandlersOf<typeof tokenIssuerOperations> {
  return {
    'token-issuers.list': async () => {
      const owner = await ownersOf(deps.db, 'issuers')
      return { data: (await listTokenIssuers(deps.db)).map((row) => ({ ...toView(row), managed_by: owner(row.name) })) }
    },
    'token-issuers.get': async ({ params: { name } }) => viewOf(deps.db, name),
    'token-issuers.put': ({ params: { name }, body }, context) =>
      change(deps, context, async (transaction) => {
        const present = await findTokenIssuer(transaction, { name })
        const before = present === null ? null : await viewOf(transaction, name)
        context.checkMatch(before)
        await refuseManagedCaller(transaction, 'issuers', name)
        await check(transaction, name, body)
        if (present === null) context.created()
        else if (before !== null && isDeepStrictEqual(settingsOfIssuer(present), body)) {
          return { result: before, audit: null }
        }
        await putTokenIssuer(transaction, name, body, context.now)
        const result = await viewOf(transaction, name)
        return { result, audit: entry('token-issuers.put', name, before, result) }
      }),
    'token-issuers.delete': ({ params: { name } }, context) =>
      change(deps, context, async (transaction) => {
        const before = await viewOf(transaction, name)
        context.checkMatch(before)
        await refuseManagedCaller(transaction, 'issuers', name)
        await deleteTokenIssuer(transaction, name)
        return { result: undefined, audit: entry('token-issuers.delete', name, before, null) }
      }),
    'token-issuers.revocations': async ({ params: { name } }) => {
      await existing(deps.db, name)
      return { data: (await listTokenRevocations(deps.db, name)).map(revocationView) }
    },
    'token-issuers.revoke': ({ params: { name }, body: { claim, value, until } }, context) =>
      change(deps, context, async (transaction) => {
        await existing(transaction, name)
        const row = { issuer: name, claim, value, created_at: context.now, until: expiry(until, context.now, 'until') }
        await putTokenRevocation(transaction, row)
        const result = revocationView(row)
        return { result, audit: entry('token-issuers.revoke', name, null, result) }
      }),
    'token-issuers.accept': ({ params: { name, claim, value } }, context) =>
      change(deps, context, async (transaction) => {
        const row = await deleteTokenRevocation(transaction, { issuer: name, claim, value })
        if (row === null) throw new GatewayError('not_found', `'${name}' has no revocation of this ${claim}.`)
        return { result: undefined, audit: entry('token-issuers.accept', name, revocationView(row), null) }
      }),
  }
}

async function viewOf(db: Kysely<Database>, name: string) {
  const row = await existing(db, name)
  return { ...toView(row), managed_by: (await ownersOf(db, 'issuers'))(name) }
}

async function existing(db: Kysely<Database>, name: string): Promise<TokenIssuersTable> {
  const row = await findTokenIssuer(db, { name })
  if (row !== null) return row
  throw new GatewayError('not_found', `There is no token issuer '${name}'.`)
}

/** One set of rules for an issuer, and keys that are there. */
async function check(db: Kysely<Database>, name: string, { issuer, rules }: TokenIssuerSettings): Promise<void> {
  const same = await findTokenIssuer(db, { issuer })
  if (same !== null && same.name !== name) {
    throw new GatewayError('conflict', `issuer: '${same.name}' is this issuer already; add your rules to it.`)
  }
  for (const [place, { key_id }] of rules.entries()) {
    if ((await findKey(db, 'live', key_id)) !== null) continue
    throw new GatewayError(
      'invalid_request',
      `rules[${place}].key_id: there is no gateway key with the id '${key_id}'.`,
    )
  }
}

function toView(row: TokenIssuersTable) {
  const { name, created_at, updated_at } = row
  return { name, ...settingsOfIssuer(row), created_at: timestamp(created_at), updated_at: timestamp(updated_at) }
}

function revocationView({ claim, value, created_at, until }: TokenRevocationsTable) {
  const named = claim as 'sub' | 'jti' | 'sid'
  return { claim: named, value, created_at: timestamp(created_at), until: timestampOrNull(until) }
}

function entry(action: string, name: string, before: object | null, after: object | null) {
  return { action, workspace: null, resource: `token-issuers/${name}`, before, after }
}
