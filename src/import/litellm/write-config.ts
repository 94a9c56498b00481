import type { FileConfig } from '../../domain/file-config.ts'
import { definedEntries, type RouteDefinition } from '../../domain/route.ts'
import { PREFIXES, type PrefixRow } from './prefixes.ts'
import type { Values } from './source.ts'

/** A provider as the running gateway has it. */
export interface RunningProvider {
  name: string
  family: string
  preset: string | null
  base_url: string | null
  settings: Values
}

export interface WrittenConfig {
  config: { model_list: Values[]; router_settings: Values; litellm_settings: Values }
  /** What LiteLLM has no words for. */
  left: string[]
}

type Place = RouteDefinition['chain'][number]
type Entry = ReturnType<typeof definedEntries>[number]

/** Routes and providers of one workspace as LiteLLM's file has them: every later place of a chain is a fallback. */
export function writeLitellmConfig(
  config: Pick<FileConfig, 'providers' | 'workspaces'>,
  providers: readonly RunningProvider[],
  workspace: string,
): WrittenConfig {
  const routes = { ...sharedRoutes(config), ...config.workspaces[workspace]?.routes }
  const models: Values[] = []
  const fallbacks: Values[] = []
  const left: string[] = []
  for (const [alias, route] of Object.entries(routes)) {
    const names = route.chain.map((_, index) => (index === 0 ? alias : `${alias} (${index + 1})`))
    for (const [index, place] of route.chain.entries()) {
      for (const entry of definedEntries([place])) {
        const provider = providers.find(({ name }) => name === entry.provider)
        if (provider === undefined) left.push(`route '${alias}': there is no provider '${entry.provider}'`)
        else models.push(modelOf(names[index] ?? alias, { ...entry, ...defaultsOf(route, entry) }, provider, config))
      }
      left.push(...lostIn(place).map((what) => `route '${alias}': ${what}`))
    }
    if (names.length > 1) fallbacks.push({ [alias]: names.slice(1) })
    if (route.cache !== undefined) left.push(`route '${alias}': its cache`)
  }
  return {
    config: { model_list: models, router_settings: { fallbacks }, litellm_settings: { drop_params: true } },
    left,
  }
}

function sharedRoutes({ workspaces }: Pick<FileConfig, 'workspaces'>): Record<string, RouteDefinition> {
  const all = Object.values(workspaces).flatMap(({ routes }) => Object.entries(routes))
  return Object.fromEntries(all.filter(([, { shared }]) => shared === true))
}

function defaultsOf(route: RouteDefinition, entry: Entry): { defaults: Values } {
  return { defaults: { ...route.defaults, ...entry.defaults } }
}

function lostIn(place: Place): string[] {
  const hedge = place.hedge_after_ms === undefined ? [] : ['hedge_after_ms']
  if (!('members' in place) || place.balance === 'weighted') return hedge
  return [...hedge, `balance: ${place.balance} (set routing_strategy)`]
}

function modelOf(name: string, entry: Entry, provider: RunningProvider, config: Pick<FileConfig, 'providers'>): Values {
  const [prefix, row] = prefixOf(provider)
  const { timeout_ms: timeout, retries, max_output_tokens: output, idle_timeout_ms: idle, defaults } = entry
  const weight = 'weight' in entry ? entry.weight : undefined
  const address = provider.base_url !== null && provider.base_url !== row.address ? provider.base_url : undefined
  const params: Values = {
    model: `${prefix}/${entry.model}`,
    ...keyOf(provider, row, config),
    api_base: address,
    api_version: provider.settings['api_version'],
    aws_region_name: provider.settings['region'],
    vertex_project: provider.settings['project'],
    vertex_location: provider.settings['location'],
    extra_headers: headersOf(config.providers[provider.name]?.headers),
    timeout: timeout === undefined ? undefined : timeout / 1000,
    stream_timeout: idle === undefined ? undefined : idle / 1000,
    num_retries: retries,
    max_tokens: output,
    weight,
    ...defaults,
  }
  const written = Object.entries(params).filter(([, value]) => value !== undefined)
  return { model_name: name, litellm_params: Object.fromEntries(written) }
}

/** `${NAME}` as LiteLLM writes it. */
function reference(text: string): string {
  return text.replace(/^\$\{(\w+)\}$/, 'os.environ/$1')
}

function headersOf(headers: Readonly<Record<string, string>> = {}): Values | undefined {
  const entries = Object.entries(headers).map(([name, value]) => [name, reference(value)])
  return entries.length === 0 ? undefined : Object.fromEntries(entries)
}

/** What LiteLLM calls such a provider; compatible servers that it does not know are `openai` with an address. */
function prefixOf({ family, preset, base_url }: RunningProvider): readonly [string, PrefixRow] {
  const rows = [...PREFIXES]
  const found =
    rows.find(([, row]) => preset !== null && row.preset === preset) ??
    rows.find(([, row]) => row.address !== undefined && row.address === base_url) ??
    rows.find(([, row]) => row.family === family && row.preset === undefined && row.address === undefined)
  if (found === undefined) throw new TypeError(`LiteLLM has no word for the family ${family}`)
  return found
}

/** `${NAME}` of the exported file, else the variable that LiteLLM reads. */
function keyOf({ name }: RunningProvider, row: PrefixRow, { providers }: Pick<FileConfig, 'providers'>): Values {
  const key = providers[name]?.api_key
  if (key !== undefined) return { api_key: reference(key) }
  return row.keyVariables[0] === undefined ? {} : { api_key: `os.environ/${row.keyVariables[0]}` }
}
