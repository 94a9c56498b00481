import type { Provider } from '../../../domain/provider.ts'
import type { ResponsesRequest } from '../../../domain/request/responses.ts'
import type { Translator } from '../../family.ts'
import { RESPONSES_SPARES } from '../spares.ts'
import { DEFAULT_BASE_URL, targetOf } from '../target.ts'
import { toWire } from './request.ts'
import { fromWire } from './response.ts'
import { stream } from './stream.ts'

export const responses: Translator<ResponsesRequest> = {
  target: (provider) => targetOf(provider, '/responses'),
  toWire,
  fromWire,
  isVerbatim: true,
  spares: RESPONSES_SPARES,
  isSpokenBy,
  isFoundOut: (provider) => provider.speaks === undefined && provider.preset === undefined && !isSpokenBy(provider),
  stream,
}

const VENDOR = new URL(DEFAULT_BASE_URL).host

/** True for the vendor and where the operator says so; many compatible servers speak only chat. */
export function isSpokenBy({ baseUrl, speaks }: Pick<Provider, 'baseUrl' | 'speaks'>): boolean {
  if (speaks !== undefined) return speaks.includes('responses')
  return baseUrl === null || URL.parse(baseUrl)?.host === VENDOR
}
