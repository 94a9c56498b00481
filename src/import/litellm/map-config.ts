import { readLitellm } from '../../domain/pricing/lists/litellm-list.ts'
import type { JsonObject } from '../../domain/request/call-request.ts'
import type { BuiltinRegistry } from '../../store/control/seed-registry.ts'
import { type Deployment, readDeployment, withOneOrganization } from './deployment.ts'
import type { MappedConfig, MappedRoute } from './mapped-config.ts'
import { mapMasterKey } from './master-key.ts'
import { approximate, createNotes, exact, manual, type Notes } from './notes.ts'
import { checkPrices, registryRows } from './prices.ts'
import type { KnownModels } from './registry-row.ts'
import { noteWindowFallbacks, readAliases, readFallbacks, readRouting } from './router.ts'
import { buildRoutes } from './routes.ts'
import { nameRows, noteWildcards, type Rows } from './rows.ts'
import { mapSettings } from './settings.ts'
import type { LitellmSource, Values } from './source.ts'
import { defaultParams, noteCredentials, noteRest } from './source-notes.ts'
import { createVariables } from './variables.ts'
import { type Environment, writeOut } from './written-value.ts'

export interface MapOptions {
  environment: Environment
  /** LiteLLM's price list, `model_prices_and_context_window.json`. */
  prices?: Values
  now: number
  /** The shipped registry; absent: no model is known. */
  builtin?: BuiltinRegistry
  /** False with teams: what LiteLLM limits for all is no limit of one workspace then. */
  isOnlyWorkspace?: boolean
}

export function mapConfig(source: LitellmSource, options: MapOptions): MappedConfig {
  const { environment, isOnlyWorkspace = true } = options
  const notes = createNotes()
  const variables = createVariables([
    source.models.map(({ params }) => params),
    source.credentials.map(({ values }) => values),
    source.environment.values,
  ])
  const known = knownModels(options)
  const routing = readRouting(source, notes, environment)
  const settings = mapSettings(source, { notes, variables, environment, isOnlyWorkspace })
  const shared = defaultParams(source.router, notes)
  const { credentials, router } = source
  const inRouter = router.kept
  const sharedKept = inRouter && ((key: string) => inRouter(`default_litellm_params.${key}`))
  const context = { environment, credentials, known, notes, variables, shared, sharedKept }
  const deployments = source.models
    .flatMap(withOneOrganization)
    .flatMap((model) => readDeployment(model, context) ?? [])
  for (const deployment of deployments) lengthenAnswers(deployment, known)
  const rows = nameRows(deployments, settings.ca)
  noteWildcards(deployments, rows, notes)
  const groups = grouped(deployments)
  const aliases = readAliases(source, notes, new Set(groups.keys()))
  const fallbacks = readFallbacks(source, notes, new Set([...groups.keys(), ...aliases.keys()]))
  const priceOf = (deployment: Deployment) => priceIn(deployment, known)
  const { routes, chainNames } = buildRoutes(
    { groups, aliases, fallbacks, cache: settings.cache },
    { routing, notes, nameOf: rows.nameOf, priceOf },
  )
  noteWindowFallbacks(source, notes, chainNames)
  noteCredentials(source, notes)
  noteRest(source, notes)
  const registry = registryRows(deployments, rows, known, notes)
  checkPrices(routes, deployments, registry, { rows, known, notes })
  const masterKey = mapMasterKey(source, { notes, environment })
  const config = writeOut({
    providers: rows.providers,
    workspaces: { default: workspaceOf(routes, deployments, rows, settings.limits, notes) },
    ...(Object.keys(settings.alerts).length > 0 && { alerts: settings.alerts }),
    ...nonEmpty('registry', registry),
  }) as MappedConfig['config']
  return { config, findings: notes.findings(source), variables: variables.list(config), routes, masterKey }
}

function nonEmpty(name: string, list: readonly unknown[]): JsonObject {
  return list.length === 0 ? {} : { [name]: list }
}

function knownModels({ builtin, prices }: MapOptions): KnownModels {
  const listed = new Map(prices === undefined ? [] : readLitellm(prices).models.map((model) => [model.name, model]))
  const models = builtin?.models ?? []
  return {
    find: (vendor, model) =>
      models.find(
        ({ facts }) =>
          (vendor === null || facts.provider === vendor) && (facts.model === model || facts.aliases.includes(model)),
      ),
    listed: (name) => listed.get(name),
  }
}

function grouped(deployments: readonly Deployment[]): Map<string, Deployment[]> {
  const groups = new Map<string, Deployment[]>()
  for (const deployment of deployments) {
    if (deployment.wildcard !== null) continue
    const name = deployment.teamId === null ? deployment.alias : `${deployment.teamId}:${deployment.alias}`
    groups.set(name, [...(groups.get(name) ?? []), deployment])
  }
  return groups
}

/** LiteLLM asks Claude for the longest answer it can give, the gateway for 1,024 tokens. */
const CLAUDE_OUTPUT = 4096

function lengthenAnswers({ model, vendor, entry, registry, wildcard }: Deployment, { find }: KnownModels): void {
  if (wildcard !== null || !model.includes('claude')) return
  const longest = find(vendor, model)?.facts.maxOutputTokens ?? find(null, model)?.facts.maxOutputTokens
  entry['max_output_tokens'] ??= registry['max_output_tokens'] ?? longest ?? CLAUDE_OUTPUT
}

function priceIn({ registry, vendor, model }: Deployment, { find }: KnownModels): number | null {
  const prices = { ...find(vendor, model)?.prices, ...registry }
  const [input, output] = [prices['input_per_mtok'], prices['output_per_mtok']]
  return typeof input === 'string' && typeof output === 'string' ? Number(input) + Number(output) : null
}

function workspaceOf(
  routes: ReadonlyMap<string, MappedRoute>,
  deployments: readonly Deployment[],
  { providers }: Rows,
  limits: JsonObject,
  notes: Notes,
): JsonObject {
  const wildcards = new Set(deployments.flatMap(({ wildcard }) => wildcard ?? []))
  notes.general('streaming', exact('workspace default', 'on: LiteLLM always streams'))
  if (deployments.some(({ model, wildcard }) => wildcard === null && model.includes('claude'))) {
    notes.general(
      'max_tokens',
      approximate(
        'max_output_tokens',
        'without max_tokens LiteLLM asks Claude for its longest answer: written into each entry',
      ),
    )
  }
  const others = Object.keys(providers).filter((name) => !wildcards.has(name))
  if (wildcards.size > 0 && others.length > 0) {
    const message = `wildcards need direct models, so models of ${others.join(', ')} can be called by name, too: bound keys with allowed_models`
    notes.general('direct_models', approximate('workspace default', message, 'looser'))
  }
  const listed = [...routes.values()].filter(({ teamId }) => teamId === null)
  for (const { alias, teamId } of routes.values()) {
    if (teamId !== null)
      notes.general(`routes.${alias}`, manual(`only for the team ${teamId}: it is imported with --database`, 'tighter'))
  }
  return {
    streaming: true,
    direct_models: wildcards.size > 0,
    ...(Object.keys(limits).length > 0 && { limits }),
    routes: Object.fromEntries(listed.map(({ alias, definition }) => [alias, definition])),
  }
}
