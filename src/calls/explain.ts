import { SmallBody } from '../bodies/small-body.ts'
import { cleanName } from '../domain/attribution.ts'
import type { ExplainedEntry, Explanation } from '../domain/explanation.ts'
import { asPicodollars, type Picodollars } from '../domain/pricing/price.ts'
import { type Provider, withoutSecrets } from '../domain/provider.ts'
import type { PromptTokens } from '../domain/request/bounds.ts'
import type { ChainEntry, Resolved as ResolvedModel } from '../domain/route.ts'
import { isStreaming } from '../domain/snapshot.ts'
import { usableKey } from '../domain/usable-key.ts'
import { chatCompletions } from '../endpoints/chat-completions/chat-completions.ts'
import type { Endpoint } from '../endpoints/endpoint.ts'
import { readValue } from '../endpoints/read-body.ts'
import { moneyOf } from '../limits/hold.ts'
import { defaultLimitOf, hasHardBudget, payerOf, workspacePayer } from '../limits/payer.ts'
import { sessionKeyOf } from './balance.ts'
import { cacheUse } from './cache/cache-use.ts'
import { type Arranged, type Arrival, arrange } from './chain/arrange.ts'
import { type Candidate, type ChainContext, type ChainDeps, type Fitness, traitsOf } from './chain/assess.ts'
import { ChainCursor } from './chain/chain-cursor.ts'
import { termsAt } from './chain/chain-hold.ts'
import type { Deps } from './deps.ts'
import { budgetVerdict, limitAdvice } from './explain-budget.ts'
import { entriesOf } from './resolve.ts'

/** Who would make the call; without a key only the limits of the workspace apply. */
export interface ExplainedFor {
  workspace: string
  keyId: string | null
  /** As the header `x-gateway-session` would name it. */
  session?: string | undefined
}

export type ExplainDeps = ChainDeps & Pick<Deps, 'snapshot' | 'prefixes' | 'ledger' | 'streams' | 'now'>

/**
 * The steps of a call up to the first entry of the chain, with the same functions as a real call; no provider is
 * called.
 */
export async function explain(
  body: unknown,
  { workspace, keyId, session }: ExplainedFor,
  deps: ExplainDeps,
): Promise<Explanation> {
  const snapshot = deps.snapshot()
  const key = keyId === null ? null : usableKey(snapshot, { id: keyId, workspace }, deps.now())
  const endpoint: Endpoint = chatCompletions
  const allowsStream = isStreaming(snapshot.workspaces.get(workspace), deps.streams.settings.isOnByDefault)
  const request = new SmallBody(readValue(body, endpoint, allowsStream), endpoint)
  const resolved = entriesOf(request.request.model, { workspace }, snapshot, deps.prefixes)
  const { alias, isInterchangeable, refusesCompaction, marksPrompts } = resolved
  const attribution = { ...request.attribution, session: cleanName(session) ?? request.attribution.session }
  const isStream = endpoint.stream?.isRequested(request.request) === true
  const arrival = { session: sessionKeyOf(attribution, request.request), isStream, snapshot }
  const { chain, because } = arrangedFor(resolved, arrival, deps)
  const payer = key === null ? workspacePayer(workspace, snapshot) : payerOf(key, snapshot)
  const bounds = { defaultLimit: defaultLimitOf(payer), isStrict: hasHardBudget(payer) }
  const isDirect = alias === null
  const context: ChainContext = {
    ...{ endpoint, chain, isInterchangeable, isDirect, refusesCompaction, marksPrompts },
    ...{ workspace, session: attribution.session, snapshot },
    ...bounds,
  }
  const { refusal, fitnesses } = await budgetVerdict(request, context, payer, key?.name ?? null, deps)
  const { candidate, passed, error } = firstStep(chain, fitnesses, deps)
  const entries = chain.map((entry, position) => ({
    ...explained(entry, fitnesses[position], request.promptTokens, context, deps),
    wouldBeUsed: refusal === null && candidate?.position === position,
    chosenBecause: because.get(entry) ?? null,
    skippedBecause: passed.get(entry)?.replace(/^skipped: /, '') ?? null,
  }))
  const provider = chain[0]?.provider
  const isNamed = request.request.model.startsWith(`${provider}/`)
  return {
    alias,
    note:
      alias === null
        ? `no route of workspace '${workspace}' has this name: ${isNamed ? 'it names' : 'its prefix leads to'} '${provider}'`
        : cacheNote(resolved, request),
    advice: limitAdvice(fitnesses),
    error: error ?? refusal,
    hold: mostOf(entries),
    entries,
  }
}

/** Whether a call may get a stored answer; which one is known by its bytes alone. */
function cacheNote({ cache }: ResolvedModel, { effects }: SmallBody): string | null {
  if (cache === undefined) return null
  const use = cacheUse(() => undefined, effects, cache)
  if (use === 'bypass')
    return `the response cache is not asked: the request uses ${effects === 'tools' ? 'tools' : 'what the provider keeps'}`
  const whose = cache.scope === 'key' ? 'key' : 'workspace'
  return `a call with the same bytes gets the answer of an earlier one of its ${whose}, for ${cache.ttlMs / 1000} s, and asks no provider`
}

/** Without a session chance decides among members: the likeliest order is shown. */
function arrangedFor(
  { chain, places }: ReturnType<typeof entriesOf>,
  arrival: Arrival,
  { circuits, traffic }: ChainDeps,
): Pick<Arranged, 'chain' | 'because'> {
  if (places === null) return { chain: [...chain], because: new Map() }
  return arrange(places, arrival, { circuits, traffic, random: () => 0.5 })
}

/** Of the entries whose hold is known; where two may be asked at once, of two of them. */
function mostOf(entries: readonly Pick<ExplainedEntry, 'entry' | 'hold'>[]): Picodollars | null {
  let most: Picodollars | null = null
  for (const { entry, hold } of entries) {
    if (hold === null) continue
    const others = entries.flatMap((other) => (other.entry === entry ? [] : (other.hold ?? [])))
    const beside = entry.hedgeAfterMs === null ? 0n : others.reduce((a, b) => (b > a ? b : a), asPicodollars(0n))
    if (most === null || hold + beside > most) most = asPicodollars(hold + beside)
  }
  return most
}

type Assessed = Omit<ExplainedEntry, 'wouldBeUsed' | 'skippedBecause' | 'chosenBecause'>

/** What a call would do now, without a provider call: the first entry, or the caller's error. */
function firstStep(chain: readonly ChainEntry[], fitnesses: readonly Fitness[], { circuits }: ChainDeps) {
  const passed = new Map<ChainEntry, string>()
  const cursor = new ChainCursor(chain, fitnesses, circuits, (entry, reason) => passed.set(entry, reason))
  const candidate = cursor.next()
  return { candidate, passed, error: candidate === null ? cursor.unattemptedError() : null }
}

function explained(
  entry: ChainEntry,
  fitness: Fitness | undefined,
  promptTokens: PromptTokens,
  { snapshot }: ChainContext,
  deps: ChainDeps,
): Assessed {
  const candidate = fitness?.kind === 'usable' ? fitness.candidate : null
  return {
    entry,
    configured: fitness?.kind !== 'unconfigured',
    circuit: deps.circuits.state(entry),
    refused: fitness?.kind === 'refused' || fitness?.kind === 'invalid' ? fitness.message.text : null,
    ignored: candidate?.ignored ?? [],
    adjustments: candidate?.adjustments ?? [],
    contextWindow: traitsOf(entry, snapshot, deps).contextWindow,
    hold: candidate === null ? null : moneyOf(termsAt(candidate, promptTokens, snapshot)),
    pricePercent: candidate?.heldPercent ?? null,
    wire: candidate === null ? null : wireOf(candidate),
  }
}

function wireOf({ provider, translator, entry, wire }: Candidate): NonNullable<ExplainedEntry['wire']> {
  const { url, headers } = translator.target(provider, entry.model)
  return { method: 'POST', url: withoutSecrets(url, provider), headers: masked(headers, provider), body: wire }
}

/** The operator's headers may contain secrets of any form; the family's contain only the key. */
function masked(headers: Readonly<Record<string, string>>, provider: Provider): Record<string, string> {
  const own = new Set(Object.keys(provider.headers).map((name) => name.toLowerCase()))
  const { apiKey } = provider
  const mask = (name: string, value: string) => {
    if (own.has(name.toLowerCase())) return '[redacted]'
    return apiKey === null ? value : value.replaceAll(apiKey, '[redacted]')
  }
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(name, value)]))
}
