import type { Reply } from '../../api/client.ts'

/** The families and presets that this gateway knows. */
export type ProviderKinds = Reply<'providers.kinds'>

/** How a setting is typed. */
export interface SettingField {
  name: string
  kind: 'text' | 'number' | 'choice' | 'json'
  /** Of a choice. */
  values: string[]
  help: string
}

interface JsonField {
  type?: string
  enum?: unknown[]
  description?: string
}

/** What a family's schema says of its settings, in its order. */
export function settingFields({ families }: ProviderKinds, family: string): SettingField[] {
  const schema = families.find(({ name }) => name === family)?.settings
  const properties = (schema?.['properties'] ?? {}) as Record<string, JsonField>
  return Object.entries(properties).map(([name, field]) => ({
    name,
    ...kindOf(field),
    help: field.description ?? '',
  }))
}

function kindOf({ type, enum: choices }: JsonField): Pick<SettingField, 'kind' | 'values'> {
  if (choices?.every((choice) => typeof choice === 'string')) return { kind: 'choice', values: choices }
  if (type === 'boolean') return { kind: 'choice', values: ['true', 'false'] }
  if (type === 'string') return { kind: 'text', values: [] }
  return { kind: type === 'number' || type === 'integer' ? 'number' : 'json', values: [] }
}

export function credentialNames({ families }: ProviderKinds, family: string): string[] {
  return families.find(({ name }) => name === family)?.credentials ?? []
}

/** The address where none is typed; null: one must be. An empty text: it follows from the settings. */
export function knownAddress(
  { families, presets }: ProviderKinds,
  family: string,
  preset: string | null,
): string | null {
  const vendor = presets.find(({ name }) => name === preset)
  if (vendor !== undefined) return vendor.base_url
  return families.find(({ name }) => name === family)?.is_address_known === true ? '' : null
}
