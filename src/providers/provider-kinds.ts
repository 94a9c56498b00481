import { z } from 'zod'
import { problemText } from '../domain/problem-text.ts'
import { DEFAULT_ON_CALLER_LEFT, type Provider, type ProviderKinds } from '../domain/provider.ts'
import { FAMILIES } from './families.ts'
import type { BuiltinProvider } from './family.ts'
import { PRESETS, shown } from './presets.ts'

/** The providers that exist from the environment alone. */
export function builtinProviders(): (BuiltinProvider & { family: string })[] {
  return [...FAMILIES].flatMap(([family, { builtin }]) => (builtin === undefined ? [] : [{ family, ...builtin }]))
}

export const PROVIDER_KINDS: ProviderKinds = {
  onCallerLeft: (family) => FAMILIES.get(family)?.onCallerLeft ?? DEFAULT_ON_CALLER_LEFT,
  originOf(provider) {
    const { baseUrl, family } = provider
    const url = baseUrl ?? FAMILIES.get(family)?.modelsTarget(provider, null).url
    return url === undefined ? '' : new URL(url).origin
  },
  batchPercent(provider) {
    const family = FAMILIES.get(provider.family)
    return family?.isOwnService(provider) === true ? (family.batchPercent ?? null) : null
  },
  families: () =>
    [...FAMILIES].map(([name, { isAddressKnown, settings, credentials = [], onCallerLeft }]) => ({
      name,
      ...shown(name),
      isAddressKnown: isAddressKnown === true,
      settings: settings === undefined ? null : z.toJSONSchema(settings, { io: 'input', unrepresentable: 'any' }),
      credentials,
      onCallerLeft: onCallerLeft ?? DEFAULT_ON_CALLER_LEFT,
    })),
  presets: () => [...PRESETS].map(([name, { family, baseUrl }]) => ({ name, ...shown(name), family, baseUrl })),
  familyOf({ name, preset }) {
    if (preset !== undefined) return PRESETS.get(preset)?.family ?? FIRST_FAMILY
    return builtinProviders().find((builtin) => builtin.name === name)?.family ?? null
  },
  problemOf(provider) {
    const { preset } = provider
    if (preset !== undefined && PRESETS.get(preset)?.family !== provider.family) {
      return `preset: one of ${[...PRESETS.keys()].join(', ')}`
    }
    const family = FAMILIES.get(provider.family)
    if (family === undefined) return `family: one of ${[...FAMILIES.keys()].join(', ')}`
    return addressProblem(provider) ?? settingsProblem(provider) ?? family.problemOf?.(provider) ?? null
  },
}

/** Of a preset that does not exist: the message about the preset follows. */
const FIRST_FAMILY = [...FAMILIES.keys()][0] ?? null

function addressProblem({ family, baseUrl, preset }: Provider): string | null {
  const isKnown = preset === undefined ? FAMILIES.get(family)?.isAddressKnown === true : hasAddress(preset)
  return baseUrl === null && !isKnown ? 'base_url: the address of the provider is missing' : null
}

function hasAddress(preset: string): boolean {
  return typeof PRESETS.get(preset)?.baseUrl === 'string'
}

function settingsProblem({ family: name, settings = {}, credentials = {} }: Provider): string | null {
  const family = FAMILIES.get(name)
  const known = family?.credentials ?? []
  const unknown = Object.keys(credentials).find((each) => !known.includes(each))
  if (unknown !== undefined) {
    const names = known.length === 0 ? 'has none beside its key' : `has ${known.join(', ')}`
    return `credentials.${unknown}: the family '${name}' ${names}`
  }
  if (family?.settings === undefined) {
    const [first] = Object.keys(settings)
    return first === undefined ? null : `settings.${first}: the family '${name}' has no settings`
  }
  const parsed = family.settings.safeParse(settings)
  if (parsed.success) return null
  const problem = problemText(parsed.error)
  // An unknown field has no path of its own.
  return /^[\w.[\]]+: /.test(problem) ? `settings.${problem}` : `settings: ${problem}`
}
