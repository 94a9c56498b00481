import type { Provider } from '../../domain/provider.ts'
import type { Rename } from '../../providers/rename.ts'

/** What a provider's refusals have taught this process about one of its models. */
interface Quirk {
  renames: readonly Rename[]
  /** It does not know the fields that a hard budget adds. */
  refusesPins: boolean
  /** It does not know the field that asks for usage at the end of a stream. */
  refusesUsageField: boolean
  /** Values of the caller's header fields that it refuses, such as betas of its vendor that it does not offer. */
  refusedValues: readonly string[]
}

/** Learned again after a restart and when the provider's address changes, at one refused call each. */
export interface Quirks {
  of(provider: Provider, model: string): Readonly<Quirk>
  rename(provider: Provider, model: string, rename: Rename): void
  /** The provider refused the name that it had requested. */
  unlearn(provider: Provider, model: string, rename: Rename): void
  refusesPins(provider: Provider, model: string): void
  refusesUsageField(provider: Provider, model: string): void
  refusesValues(provider: Provider, model: string, values: readonly string[]): void
}

/** Callers may send anything as a direct model id; beyond this number the oldest is dropped. */
const MOST_MODELS = 1_000
const MOST_RENAMES = 8
const MOST_VALUES = 32

const NONE: Quirk = { renames: [], refusesPins: false, refusesUsageField: false, refusedValues: [] }

export function createQuirks(): Quirks {
  const quirks = new Map<string, Quirk>()
  const keyOf = ({ name, baseUrl }: Provider, model: string) => JSON.stringify([name, baseUrl, model])
  // Most processes never learn one, and then no call builds the key.
  const of = (provider: Provider, model: string) =>
    quirks.size === 0 ? NONE : (quirks.get(keyOf(provider, model)) ?? NONE)

  function change(provider: Provider, model: string, changed: Partial<Quirk>): void {
    const key = keyOf(provider, model)
    const quirk = { ...of(provider, model), ...changed }
    quirks.delete(key)
    const { renames, refusesPins, refusesUsageField, refusedValues } = quirk
    const isOne = renames.length > 0 || refusesPins || refusesUsageField || refusedValues.length > 0
    if (isOne) quirks.set(key, quirk)
    const [oldest] = quirks.keys()
    if (quirks.size > MOST_MODELS && oldest !== undefined) quirks.delete(oldest)
  }

  return {
    of,
    rename(provider, model, rename) {
      const others = of(provider, model).renames.filter(
        ({ from, to }) => from !== rename.from && from !== rename.to && to !== rename.to,
      )
      change(provider, model, { renames: [...others, rename].slice(-MOST_RENAMES) })
    },
    unlearn(provider, model, rename) {
      const renames = of(provider, model).renames.filter(({ from, to }) => from !== rename.from || to !== rename.to)
      change(provider, model, { renames })
    },
    refusesPins: (provider, model) => change(provider, model, { refusesPins: true }),
    refusesUsageField: (provider, model) => change(provider, model, { refusesUsageField: true }),
    refusesValues(provider, model, values) {
      const all = new Set([...of(provider, model).refusedValues, ...values])
      change(provider, model, { refusedValues: [...all].slice(-MOST_VALUES) })
    },
  }
}

/** The caller's header fields without the values that a provider refuses; a field that is left empty is left out. */
export function* withoutValues(
  headers: Iterable<readonly [name: string, value: string]>,
  refused: readonly string[],
): Iterable<readonly [name: string, value: string]> {
  for (const [name, value] of headers) {
    const left = value.split(',').filter((each) => !refused.includes(each.trim()))
    if (left.length > 0) yield [name, left.join(',')]
  }
}
