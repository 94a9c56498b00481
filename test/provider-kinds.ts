import type { ProviderKinds } from '../src/domain/provider.ts'

const UNKNOWN = {
  title: '',
  hint: '',
  isAddressKnown: false,
  settings: null,
  credentials: [],
  onCallerLeft: 'abort',
} as const

/** Made-up families, where only the providers from the environment need no address. */
export function kindsOf(builtin: readonly { name: string; family: string }[]): ProviderKinds {
  const families = [...new Set(builtin.map(({ family }) => family))]
  return {
    onCallerLeft: () => 'abort',
    batchPercent: () => null,
    originOf: ({ baseUrl, family }) => (baseUrl === null ? family : new URL(baseUrl).origin),
    families: () => families.map((name) => ({ name, ...UNKNOWN })),
    presets: () => [],
    familyOf: ({ name }) => builtin.find((each) => each.name === name)?.family ?? null,
    problemOf({ name, family, baseUrl }) {
      if (!families.includes(family)) return `family: one of ${families.join(', ')}`
      const isBuiltin = builtin.some((each) => each.name === name)
      return isBuiltin || baseUrl !== null ? null : 'base_url: the address of the provider is missing'
    },
  }
}
