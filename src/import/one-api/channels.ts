import type { FileConfig } from '../../domain/file-config.ts'
import type { RouteDefinition } from '../../domain/route.ts'
import type { Finding } from '../finding.ts'
import { numberIn, type Row, textIn, unwrapped } from '../litellm/database/rows.ts'
import type { NeededVariable } from '../litellm/mapped-config.ts'

interface Vendor {
  family?: string
  preset?: string
  address?: string
}

/** What a channel's `type` is here; other types speak an API of their own. */
const VENDORS: Readonly<Record<number, Vendor>> = {
  1: { family: 'openai' },
  4: { preset: 'ollama' },
  8: { family: 'openai' },
  14: { family: 'anthropic' },
  17: { family: 'openai', address: 'https://dashscope.aliyuncs.com/compatible-mode/v1' },
  20: { preset: 'openrouter' },
  24: { family: 'gemini' },
  25: { family: 'openai', address: 'https://api.moonshot.cn/v1' },
  26: { family: 'openai', address: 'https://open.bigmodel.cn/api/paas/v4' },
  27: { family: 'openai', address: 'https://api.perplexity.ai' },
  34: { preset: 'cohere' },
  40: { family: 'openai', address: 'https://api.siliconflow.cn/v1' },
  42: { preset: 'mistral' },
  43: { preset: 'deepseek' },
  45: { family: 'openai', address: 'https://ark.cn-beijing.volces.com/api/v3' },
  48: { preset: 'xai' },
}
const ENABLED = 1
const MOST_MEMBERS = 10
const MOST_WEIGHT = 1_000

interface Offer {
  provider: string
  model: string
  priority: number
  weight: number
}

export interface MappedChannels {
  providers: FileConfig['providers']
  routes: Record<string, RouteDefinition>
  variables: NeededVariable[]
  findings: Finding[]
}

/** A channel becomes a provider, each model that channels offer a route: by priority, then by weight. */
export function mapChannels(channels: readonly Row[]): MappedChannels {
  const mapped: MappedChannels = { providers: {}, routes: {}, variables: [], findings: [] }
  const offers = new Map<string, Offer[]>()
  for (const channel of channels) {
    const provider = addProvider(mapped, channel)
    if (provider === null) continue
    for (const [alias, model] of modelsOf(channel)) {
      const offer = {
        provider,
        model,
        priority: numberIn(channel, 'priority') ?? 0,
        weight: numberIn(channel, 'weight') ?? 0,
      }
      offers.set(alias, [...(offers.get(alias) ?? []), offer])
    }
  }
  for (const [alias, list] of offers) mapped.routes[alias] = { shared: true, chain: chainOf(list) }
  return mapped
}

function addProvider(mapped: MappedChannels, channel: Row): string | null {
  const name = textIn(channel, 'name') ?? ''
  const found = (status: Finding['status'], message: string, target: string | null = null) =>
    mapped.findings.push({
      source: `channels/${channel['id']}`,
      path: name,
      status,
      direction: 'same',
      target,
      message,
    })
  const vendor = VENDORS[numberIn(channel, 'type') ?? 0]
  if (channel['status'] !== ENABLED) {
    found('exact', 'switched off: left out')
    return null
  }
  if (vendor === undefined) {
    found(
      'unsupported',
      `type ${channel['type']} has no counterpart; if it has an OpenAI-compatible address, add a provider`,
    )
    return null
  }
  const id = `channel-${channel['id']}`
  const variable = `ONE_API_CHANNEL_${channel['id']}_API_KEY`
  const { address, ...kind } = vendor
  const base = textIn(channel, 'base_url')
  const baseUrl = base === null ? address : withVersion(base, vendor)
  mapped.providers[id] = { ...kind, ...(baseUrl !== undefined && { base_url: baseUrl }), api_key: `\${${variable}}` }
  const [key = '', ...others] = (textIn(channel, 'key') ?? '').split('\n').map((line) => line.trim())
  mapped.variables.push({ name: variable, secret: key === '' ? null : key, why: `channel "${name}"` })
  found('exact', `the key is not copied: set ${variable}`, `provider "${id}"`)
  if (others.some((line) => line !== ''))
    found('manual', 'it has several keys: only the first is used; add a provider for each')
  return id
}

/** Addresses there leave out the version that follows. */
function withVersion(base: string, { family, preset }: Vendor): string {
  const address = base.replace(/\/+$/, '')
  const isOpen = family === 'openai' || preset !== undefined
  return isOpen && !/\/v\d+$/.test(address) ? `${address}/v1` : address
}

function modelsOf(channel: Row): [alias: string, model: string][] {
  const given = unwrapped(channel['model_mapping'])
  const mapping = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const names = (textIn(channel, 'models') ?? '').split(',').map((name) => name.trim())
  return names.filter((name) => name !== '').map((name) => [name, String(mapping[name] ?? name)])
}

function chainOf(offers: readonly Offer[]): RouteDefinition['chain'] {
  const places = Map.groupBy(
    offers.toSorted((a, b) => b.priority - a.priority),
    ({ priority }) => priority,
  )
  return [...places.values()].slice(0, MOST_MEMBERS).map((place) => {
    const members = place.slice(0, MOST_MEMBERS)
    const [first] = members
    if (members.length === 1 && first !== undefined) return { provider: first.provider, model: first.model }
    const isWeighted = members.some(({ weight }) => weight > 0)
    return {
      balance: 'weighted' as const,
      members: members.map(({ provider, model, weight }) => ({
        provider,
        model,
        weight: isWeighted ? Math.min(Math.max(Math.round(weight), 1), MOST_WEIGHT) : 1,
      })),
    }
  })
}
