import type { Provider } from '../../domain/provider.ts'
import type { HttpTarget } from '../../upstream/target.ts'
import { isSigned, settingsOf } from './settings.ts'

/** A path of a model. Its id may be an ARN: all of it is one segment. */
export function modelTarget(provider: Provider, model: string, action: string): HttpTarget {
  const url = `${runtimeBase(provider)}/model/${encodeURIComponent(model)}/${action}`
  return { url, headers: { 'content-type': 'application/json', ...headersFor(provider) } }
}

/** Lists are at another host, unless the provider has its own address. */
export function controlTarget(provider: Provider, path: string): HttpTarget {
  const base = runtimeBase(provider).replace('://bedrock-runtime', '://bedrock')
  return { url: base + path, headers: headersFor(provider) }
}

/** What its agents use is at a third host. */
export function agentTarget(provider: Provider, path: string): HttpTarget {
  const base = runtimeBase(provider).replace('://bedrock-runtime', '://bedrock-agent-runtime')
  return { url: base + path, headers: { 'content-type': 'application/json', ...headersFor(provider) } }
}

/** Of a model by its id, in the region of the provider. */
export function modelArn(model: string, settings: Provider['settings']): string {
  const { region = '' } = settingsOf({ settings })
  const partition = region.startsWith('cn-') ? 'aws-cn' : region.startsWith('us-gov-') ? 'aws-us-gov' : 'aws'
  return model.startsWith('arn:') ? model : `arn:${partition}:bedrock:${region}::foundation-model/${model}`
}

function runtimeBase(provider: Provider): string {
  if (provider.baseUrl !== null) return provider.baseUrl.replace(/\/+$/, '')
  return `https://bedrock-runtime.${domainOf(settingsOf(provider).region ?? '')}`
}

export function domainOf(region: string): string {
  return `${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** The operator's headers win, except over the provider's key, which has its own setting. */
function headersFor(provider: Provider): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(provider.headers)) headers[name.toLowerCase()] = value
  if (provider.apiKey !== null && !isSigned(provider)) headers['authorization'] = `Bearer ${provider.apiKey}`
  return headers
}
