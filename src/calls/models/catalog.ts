import { GatewayError } from '../../domain/errors.ts'
import type { CatalogList } from '../../domain/gateway-status.ts'
import { type CatalogModel, type Provider, withoutSecrets } from '../../domain/provider.ts'
import { looseJson } from '../../domain/request/loose-json.ts'
import type { PrefixRule } from '../../domain/route.ts'
import { askModels } from '../../providers/ask-models.ts'
import type { AuthorizeDeps } from '../../providers/authorize.ts'
import type { Family } from '../../providers/family.ts'
import { bodyOf } from '../../upstream/whole-response.ts'

/** The direct model ids, read from the providers once at start and kept in memory (docs/contract.md). */
export interface Catalog {
  /** Sorted by provider and id. */
  models(): readonly CatalogModel[]
  find(provider: string, model: string): CatalogModel | undefined
  /** Per provider: null once read, else the reason why not. */
  waiting(): ReadonlyMap<string, string>
  lists(): CatalogList[]
}

export interface CatalogSource {
  provider: Provider
  family: Family
}

export interface CatalogOptions extends AuthorizeDeps {
  sources: readonly CatalogSource[]
  prefixes: readonly PrefixRule[]
  onRead(provider: string, count: number): void
  onFailure(provider: string, reason: string): void
}

const TIMEOUT_MS = 15_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 60_000
/** More pages than any provider has; a server that repeats its cursor must not keep us reading for ever. */
const MAX_PAGES = 100

/**
 * Starts reading every list at once. `firstRound` resolves when each provider has answered or failed once; a provider
 * that failed is retried in the background until its first success, and never after it.
 */
export function startCatalog(options: CatalogOptions): { catalog: Catalog; firstRound: Promise<void>; stop(): void } {
  const read = new Map<string, ReadonlyMap<string, CatalogModel>>()
  const readAt = new Map<string, number>()
  const waiting = new Map<string, string>(options.sources.map(({ provider }) => [provider.name, 'not read yet']))
  let sorted: readonly CatalogModel[] = []
  const timers = new Set<NodeJS.Timeout>()
  let stopped = false

  async function attempt(source: CatalogSource, pauseMs: number): Promise<void> {
    const { name } = source.provider
    try {
      const models = await readAll(source, options)
      read.set(name, new Map(models.map((model) => [model.id, model])))
      readAt.set(name, options.now())
      waiting.delete(name)
      sorted = [...read.values()].flatMap((byId) => [...byId.values()]).sort(byProviderAndId)
      options.onRead(name, models.length)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      waiting.set(name, reason)
      options.onFailure(name, reason)
      if (!stopped) again(source, pauseMs)
    }
  }

  function again(source: CatalogSource, pauseMs: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      void attempt(source, Math.min(pauseMs * 2, LONGEST_PAUSE_MS))
    }, pauseMs)
    timers.add(timer.unref())
  }

  const firstRound = Promise.all(options.sources.map((source) => attempt(source, FIRST_PAUSE_MS))).then(() => {})
  return {
    catalog: {
      models: () => sorted,
      find: (provider, model) => read.get(provider)?.get(model),
      waiting: () => waiting,
      lists: () =>
        options.sources.map(({ provider: { name } }) => ({
          provider: name,
          models: read.get(name)?.size ?? 0,
          readAt: readAt.get(name) ?? null,
          problem: waiting.get(name) ?? null,
        })),
    },
    firstRound,
    stop() {
      stopped = true
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Lists that another thread has read. */
export function catalogOf(models: () => readonly CatalogModel[]): Catalog {
  let known: readonly CatalogModel[] = []
  let byName = new Map<string, CatalogModel>()
  const nameOf = (provider: string, model: string) => `${provider}/${model}`
  function look(): typeof byName {
    if (known !== models()) {
      known = models()
      byName = new Map(known.map((model) => [nameOf(model.provider, model.id), model]))
    }
    return byName
  }
  return {
    models,
    find: (provider, model) => look().get(nameOf(provider, model)),
    waiting: () => new Map(),
    lists: () => [],
  }
}

async function readAll(source: CatalogSource, options: CatalogOptions): Promise<CatalogModel[]> {
  const { provider } = source
  const prefixes = options.prefixes.filter((rule) => rule.provider === provider.name)
  const models: CatalogModel[] = []
  let after: string | null = null
  for (let page = 0; page < MAX_PAGES; page++) {
    const { models: found, next } = await readPage(source, after, options)
    for (const model of found) {
      const directId = directIdOf(model.id, source, prefixes)
      if (directId !== null) models.push({ ...model, provider: provider.name, directId })
    }
    if (next === null || next === after) return models
    after = next
  }
  throw new Error(`the model list of ${provider.name} does not end after ${MAX_PAGES} pages`)
}

/** Null for an id without a known prefix: it could be listed but never called. */
function directIdOf(id: string, { provider, family }: CatalogSource, prefixes: readonly PrefixRule[]): string | null {
  if (prefixes.some((rule) => id.startsWith(rule.prefix))) return id
  return family.isListed?.(provider) === true ? `${provider.name}/${id}` : null
}

async function readPage({ provider, family }: CatalogSource, after: string | null, deps: AuthorizeDeps) {
  const outcome = await askModels(provider, family, { after, timeoutMs: TIMEOUT_MS }, deps)
  if (outcome.kind === 'proxy' || outcome.kind === 'unauthorized') throw new Error(outcome.detail)
  if (outcome.kind !== 'reply') throw new Error(`the provider could not be reached (${outcome.kind})`)
  if (outcome.status !== 200) {
    const words = withoutSecrets(bodyOf(outcome).toString('utf8'), provider)
    const failed = family.failureFromWire(outcome.status, looseJson(words), (name) => outcome.headers.get(name))
    throw new GatewayError('upstream_error', `HTTP ${outcome.status}: ${failed.message}`)
  }
  return family.modelsFromWire(looseJson(bodyOf(outcome).toString('utf8')))
}

function byProviderAndId(a: CatalogModel, b: CatalogModel): number {
  const [left, right] = a.provider === b.provider ? [a.id, b.id] : [a.provider, b.provider]
  return left < right ? -1 : left > right ? 1 : 0
}
