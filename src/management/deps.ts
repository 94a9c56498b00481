import type { Kysely, Transaction } from 'kysely'
import type { AlertChannel } from '../domain/alerts/channel.ts'
import type { Explanation } from '../domain/explanation.ts'
import type { GatewayStatus } from '../domain/gateway-status.ts'
import type {
  CatalogModel,
  KnownModel,
  Provider,
  ProviderKinds,
  ProviderTest,
  ProviderTrial,
} from '../domain/provider.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import type { TriedChat } from '../domain/usable-key.ts'
import type { Call, CallReply } from '../http/call.ts'
import type { BudgetState } from '../limits/admission.ts'
import type { ValueBudget } from '../limits/each/value-budget.ts'
import type { NodeLease, Scope, ScopeStatus } from '../limits/ledger.ts'
import { type Audited, writeAudit } from '../store/control/audit.ts'
import type { LiveSnapshot } from '../store/control/live-snapshot.ts'
import type { Node } from '../store/control/nodes.ts'
import type { Database } from '../store/engine/schema.ts'
import type { Secrets } from '../store/engine/secrets.ts'
import type { Fetch, OidcSettings } from './access/oidc/settings.ts'
import type { Context } from './router.ts'

/** What the handlers need from outside. Built once in main.ts; rooms they may not import come in as functions. */
export interface ManagementDeps {
  db: Kysely<Database>
  /** For the request log and its sums: long reads there keep no change waiting. */
  reads: Kysely<Database>
  secrets: Secrets
  live: LiveSnapshot
  snapshot(): Snapshot
  /** Resolves when everything answered before is in the tables, so that a query finds it. */
  caughtUp(): Promise<void>
  /** Resolves when what calls have said until now is stored, as far as it is. */
  contentWritten(): Promise<void>
  /** Writes down when the values of keys were last let in here, so that a query finds it. */
  writeUses(): Promise<void>
  /** What would happen to a call with this body; throws what the call would get before its chain. */
  explain(
    body: unknown,
    by: { workspace: string; keyId: string | null; session?: string | undefined },
  ): Promise<Explanation>
  /** As the environment alone sets them up. */
  environmentProviders: readonly Provider[]
  /** The file that this gateway applies at its start; null without one. */
  configFile: string | null
  providerKinds: ProviderKinds
  testProvider(provider: Provider): Promise<ProviderTest>
  /** Also makes one short call, which costs money. Null: the cheapest model. */
  tryProvider(provider: Provider, model: string | null, known: ReadonlyMap<string, KnownModel>): Promise<ProviderTrial>
  /** Sends a test message; what went wrong in a line without secrets, or null. */
  testChannel(channel: AlertChannel): Promise<string | null>
  /** The direct model ids, sorted by provider and id. */
  catalogModels(): readonly CatalogModel[]
  ledger: LedgerView
  /** Aborts when the gateway stops: nothing may delay that. */
  stopping: AbortSignal
  /** Makes a call billed to a key; null when the caller has left. */
  tryChat(tried: TriedChat & Pick<Call, 'openStream'>): Promise<CallReply | null>
  /** The identity provider that people can sign in with; null: with admin keys only. */
  oidc: OidcSettings | null
  /** How it is asked. */
  fetch: Fetch
  /** For the log of the gateway. */
  warn(facts: Record<string, unknown>, text: string): void
  /** No other gateway can have this database. */
  isEmbedded: boolean
  /** This gateway among the nodes of its database. */
  node(): Node
  /** Closes the calls of a node that will not return, as interrupted. */
  closeCallsOf(node: string): Promise<number>
  /** What each node has leased of budgets in shared counters; none without them, or while they are down. */
  leases(): Promise<NodeLease[]>
  /** What this process is doing now. */
  status(): Promise<GatewayStatus>
}

/** What keys and workspaces have used, as the gateway counts it. */
export interface LedgerView {
  /** In the order of the scopes asked for. */
  status(scopes: readonly Scope[]): Promise<ScopeStatus[]>
  /** Every scope ever used. */
  scopes(): Promise<Scope[]>
  /** How budgets of single values stand, in the order of those asked for. */
  lookAt(budgets: readonly ValueBudget[]): Promise<BudgetState[]>
  /** Compares every counter with what the request log adds up to. Bigints are picodollars. */
  verify(): Promise<{
    scopes: number
    busy: readonly Scope[]
    differences: readonly { scope: Scope; counter: string; ledger: bigint | number; log: bigint | number }[]
  }>
}

type Author = Pick<Context, 'actor' | 'now' | 'asAudited'>
type Make<T> = (transaction: Transaction<Database>) => Promise<{ result: T; audit: Audited | null }>

/**
 * A change and its audit row in one transaction, effective for the next call when it resolves. The callback says what
 * changed; null when nothing did.
 */
export function change<T>(deps: ManagementDeps, author: Author, make: Make<T>): Promise<T> {
  return deps.live.change((transaction) => withAudit(transaction, author, make))
}

/** The same for data that calls are not served with: no snapshot is reloaded, here or on another node. */
export function changeBeside<T>(deps: Pick<ManagementDeps, 'db'>, author: Author, make: Make<T>): Promise<T> {
  return deps.db.transaction().execute((transaction) => withAudit(transaction, author, make))
}

/** Within a transaction that does more. */
export async function withAudit<T>(
  transaction: Transaction<Database>,
  { actor, now, asAudited }: Author,
  make: Make<T>,
): Promise<T> {
  const { result, audit } = await make(transaction)
  if (audit !== null) await writeAudit(transaction, { ...(asAudited?.(audit) ?? audit), actor }, now)
  return result
}
