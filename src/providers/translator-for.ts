import type { Bridge } from '../domain/request/bridge.ts'
import type { EndpointName } from '../domain/request/call-request.ts'
import { bridged } from './bridged.ts'
import type { Accent, Family, Translator } from './family.ts'

/** An endpoint, as far as its translator depends on it. */
export interface Format {
  name: EndpointName
  bridge?: Bridge
}

/** How a provider serves a format with one of its models: in its own words where it speaks it, else as the format that all speak; undefined: not at all. */
export function translatorFor(
  family: Family,
  { name, bridge }: Format,
  provider: Accent,
  model: string,
): Translator | undefined {
  const translators = family.translatorsFor?.(model, provider) ?? family.translators
  const own = translators[name]
  if (own !== undefined && own.isSpokenBy?.(provider) !== false) return own
  if (bridge === undefined) return undefined
  const hub = translators[bridge.hub ?? 'chat']
  return hub === undefined ? undefined : bridgedOnce(bridge, hub)
}

const known = new WeakMap<Bridge, WeakMap<Translator, Translator>>()

/** Translators are identities: what is worked out for one is kept by it. */
function bridgedOnce(bridge: Bridge, hub: Translator): Translator {
  const ofBridge = known.get(bridge) ?? new WeakMap<Translator, Translator>()
  known.set(bridge, ofBridge)
  const translator = ofBridge.get(hub) ?? bridged(bridge, hub)
  ofBridge.set(hub, translator)
  return translator
}
