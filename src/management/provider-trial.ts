import { compilePrice, exactUsd } from '../domain/pricing/price.ts'
import { type KnownModel, type Provider, type ProviderTrial, UNKNOWN_TRAITS } from '../domain/provider.ts'
import type { Snapshot } from '../domain/snapshot.ts'
import { readBuiltinRegistry } from '../store/control/seed-registry.ts'
import { vendorOf } from '../store/control/vendor.ts'

/** The most that a form shows. */
const MOST_SUGGESTED = 20

/** The vendor's chat models: the shipped ones, and over them what this gateway's registry says. */
export function knownModels(provider: Provider, { registry }: Snapshot): ReadonlyMap<string, KnownModel> {
  const vendor = vendorOf(provider)
  const shipped = readBuiltinRegistry().models.flatMap(({ facts, prices }) => {
    const isUsual = facts.provider === vendor && facts.mode === 'chat' && !facts.deprecated
    if (!isUsual) return []
    const { model, contextWindow, maxOutputTokens, efforts } = facts
    const traits = { ...UNKNOWN_TRAITS, contextWindow, maxOutputTokens, efforts }
    return [{ model, traits, price: compilePrice(prices) }]
  })
  const own = [...(registry.get(provider.name) ?? registry.get(vendor ?? '') ?? new Map()).values()]
  const usual = own.filter(({ mode, deprecated }) => mode === 'chat' && !deprecated)
  return new Map([...shipped, ...usual].map((known) => [known.model, known]))
}

export function trialView({ ok, latencyMs, status, models, message, call, suggested }: ProviderTrial) {
  return {
    ok,
    latency_ms: latencyMs,
    status,
    models,
    message,
    call: call && {
      model: call.model,
      latency_ms: call.latencyMs,
      cost_usd: call.cost === null ? null : exactUsd(call.cost),
    },
    suggested: suggested.slice(0, MOST_SUGGESTED),
  }
}
