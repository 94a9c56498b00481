import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { Provider } from '../../domain/provider.ts'
import type { ProviderRow } from '../engine/schema.ts'

/** Where the shipped prices of a family hold: a provider that names this server is no other one for it. */
const ADDRESSES = z
  .object({ addresses: z.record(z.string(), z.url()) })
  .parse(JSON.parse(readFileSync(new URL('./vendor-facts.json', import.meta.url), 'utf8'))).addresses

/** Whose prices and models it has; null: its own address, of which nothing is known. */
export function vendorOf({ preset, baseUrl, family }: Pick<Provider, 'preset' | 'baseUrl' | 'family'>): string | null {
  if (preset !== undefined) return preset
  return baseUrl === null || URL.parse(baseUrl)?.origin === ADDRESSES[family] ? family : null
}

/** As `vendorOf`, without the secrets. */
export function rowVendor({
  family,
  base_url,
  options,
}: Pick<ProviderRow, 'family' | 'base_url' | 'options'>): string | null {
  const { preset } = JSON.parse(options ?? '{}') as { preset?: string }
  return vendorOf({ family, baseUrl: base_url, ...(preset === undefined ? {} : { preset }) })
}
