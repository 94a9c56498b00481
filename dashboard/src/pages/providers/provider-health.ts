import type { Item, Reply } from '../../api/client.ts'

export type Provider = Item<'providers.list'>
export type GatewayStatus = Reply<'status.get'>
export type ProviderStatus = GatewayStatus['providers'][number]

export interface Health {
  tone: 'good' | 'warn' | 'bad' | 'idle'
  text: string
}

/** Up to a hundredth of the calls may fail unmarked. */
const WORTH_A_LOOK = 0.01

/** How a provider does, in a few words: the worst that is true comes first. */
export function healthOf(status: ProviderStatus, listProblem: string | null): Health {
  const { configured, circuits, calls_5m: calls, errors_5m: errors, last_success_at: lastSuccess } = status
  if (!configured) return { tone: 'idle', text: 'Not set up: no key and no address' }
  if (calls > 0 && errors === calls) return { tone: 'bad', text: 'Every call of the last five minutes failed' }
  if (circuits.length > 0) {
    const models = circuits.length === 1 ? 'one model' : `${circuits.length} models`
    return {
      tone: 'warn',
      text: `Works, but ${models} failed too often and ${circuits.length === 1 ? 'is' : 'are'} skipped`,
    }
  }
  if (calls > 0 && errors / calls >= WORTH_A_LOOK) return { tone: 'warn', text: 'Works, but some calls fail' }
  if (calls > 0) return { tone: 'good', text: 'Works' }
  if (listProblem !== null) return { tone: 'warn', text: 'Its model list cannot be read' }
  if (lastSuccess !== null) return { tone: 'good', text: 'No calls in the last five minutes' }
  return { tone: 'idle', text: 'Not called since the gateway started' }
}

/** The environment owns what it sets; a provider that it only names is anyone's to set up. */
export function isEditable({ managed_by, has_api_key, base_url }: Provider): boolean {
  if (managed_by === null) return true
  return managed_by === 'environment' && !has_api_key && base_url === null
}

/** Why it cannot be changed here; null when it can. */
export function ownerText(provider: Provider): string | null {
  if (isEditable(provider)) return null
  return provider.managed_by === 'config'
    ? 'Managed by switchyard.yaml: change it there. You can test it here.'
    : 'Environment variables of the gateway set it, so it is changed there. It can be tested here.'
}
