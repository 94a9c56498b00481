import type { JsonObject } from '../../../domain/request/call-request.ts'
import { NOTHING_OMITTED, valuesIn, withoutOmitted } from '../../../domain/request/omissions.ts'
import type { Target, Translation } from '../../family.ts'
import { claudeName } from '../claude.ts'
import { BETA_FIELD } from '../omissions.ts'

/** The dialect that keeps all fields; this service knows no newer one for them. */
const VERSION = 'bedrock-2023-05-31'
export const BETA_HEADER = 'anthropic-beta'

/** The model as its vendor calls it, by which the translators know what it can do. */
export function vendorTarget(target: Target): Target {
  return { ...target, model: claudeName(target.model) ?? target.model }
}

/**
 * A body of the Messages API in this service's envelope, and the betas that are left out of it. Model and streaming are
 * in the path, tiers in no place.
 */
export function enveloped(body: JsonObject, { carried, omits = NOTHING_OMITTED }: Pick<Target, 'carried' | 'omits'>) {
  const { model: _model, stream: _stream, service_tier: _tier, anthropic_beta: own, ...rest } = body
  const asked = [...(Array.isArray(own) ? own : []), ...valuesIn(carried?.[BETA_HEADER] ?? '')]
  const { left: betas, adjustments } = withoutOmitted(BETA_FIELD, asked, omits)
  const wire: JsonObject = {
    anthropic_version: VERSION,
    ...(betas.length === 0 ? {} : { [BETA_FIELD]: betas }),
    ...rest,
  }
  return { wire, adjustments }
}

export function inEnvelope(translation: Translation, target: Target): Translation {
  if (translation.kind !== 'wire') return translation
  const { wire, adjustments } = enveloped(translation.body, target)
  return { ...translation, body: wire, adjustments: [...translation.adjustments, ...adjustments] }
}

/** Betas that the caller's client names in a header. */
export function carriedBetas(headers: Iterable<readonly [name: string, value: string]>): Record<string, string> {
  const values = [...headers].filter(([name]) => name.toLowerCase() === BETA_HEADER).map(([, value]) => value)
  return values.length === 0 ? {} : { [BETA_HEADER]: values.join(',') }
}
