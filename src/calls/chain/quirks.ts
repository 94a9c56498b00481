import type { Provider } from '../../domain/provider.ts'
import { NOTHING_OMITTED, type Omissions, together } from '../../domain/request/omissions.ts'
import type { Rename } from '../../providers/rename.ts'

/** What a provider's refusals have taught this process about one of its models. */
interface Quirk {
  renames: readonly Rename[]
  /** It does not know the fields that a hard budget adds. */
  refusesPins: boolean
  /** It does not know the field that asks for usage at the end of a stream. */
  refusesUsageField: boolean
  /** What calls can do without and it refuses, such as betas of its vendor that it does not offer. */
  omits: Omissions
}

/** Learned again after a restart and when the provider's address changes, at one refused call each. */
export interface Quirks {
  of(provider: Provider, model: string): Readonly<Quirk>
  rename(provider: Provider, model: string, rename: Rename): void
  /** The provider refused the name that it had requested. */
  unlearn(provider: Provider, model: string, rename: Rename): void
  refusesPins(provider: Provider, model: string): void
  refusesUsageField(provider: Provider, model: string): void
  omit(provider: Provider, model: string, omissions: Omissions): void
}

/** Callers may send anything as a direct model id; beyond this number the oldest is dropped. */
const MOST_MODELS = 1_000
const MOST_RENAMES = 8
/** Of values, and of fields: the last ones. */
const MOST_OMITTED = 32

const NONE: Quirk = { renames: [], refusesPins: false, refusesUsageField: false, omits: NOTHING_OMITTED }

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
    const { renames, refusesPins, refusesUsageField, omits } = quirk
    const isOne = renames.length > 0 || refusesPins || refusesUsageField || omits !== NOTHING_OMITTED
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
    omit(provider, model, omissions) {
      const { values, fields } = together(of(provider, model).omits, omissions)
      const omits = { values: new Map([...values].slice(-MOST_OMITTED)), fields: fields.slice(-MOST_OMITTED) }
      change(provider, model, { omits })
    },
  }
}
