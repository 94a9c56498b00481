import { isTokenClass, isTool, type ReportLine } from './line.ts'

/** In reports that were imported for `provider`, this key, project or workspace of the vendor is that of `owner`. */
export interface ReportAccount {
  provider: string
  account: string
  owner: string
}

export interface Owners {
  /** The provider whose line it is; null: an account of the vendor that no provider of this gateway has. */
  ownerOf(provider: string, account: string | null): string | null
  /** The providers that reports of this one are about, where accounts in them were given to any. */
  ownersIn(provider: string): readonly string[]
  /** Reports of these providers can have lines of this one. */
  reportsFor(owner: string): readonly string[]
}

/** Until the first account of a provider's reports is given to someone, all of their lines are its own. */
export function createOwners(accounts: readonly ReportAccount[]): Owners {
  const byProvider = new Map(
    [...Map.groupBy(accounts, ({ provider }) => provider)].map(([provider, own]) => [
      provider,
      new Map(own.map(({ account, owner }) => [account, owner])),
    ]),
  )
  return {
    ownerOf(provider, account) {
      const known = byProvider.get(provider)
      return known === undefined || account === null ? provider : (known.get(account) ?? null)
    },
    ownersIn(provider) {
      const known = byProvider.get(provider)
      return known === undefined ? [] : [...new Set([provider, ...known.values()])]
    },
    reportsFor: (owner) => [
      ...new Set([owner, ...accounts.filter((each) => each.owner === owner).map(({ provider }) => provider)]),
    ],
  }
}

type ForeignLine = Pick<ReportLine, 'account' | 'class' | 'amount' | 'quantity' | 'requests'> & {
  provider: string
  billingModel: string | null
  period: string
}

/** What a vendor bills for a key that is not the gateway's. */
export interface ForeignAccount {
  /** That the report was imported for. */
  provider: string
  account: string
  /** Null: the report counts, but names no money. */
  amount: bigint | null
  tokens: bigint
  requests: bigint
  models: readonly string[]
  days: number
}

/** The dearest first. Cost reports repeat the quantities of usage reports, so only one of the two is counted. */
export function foreignAccounts(lines: readonly ForeignLine[]): ForeignAccount[] {
  const groups = Map.groupBy(lines, ({ provider, account }) => JSON.stringify([provider, account]))
  return [...groups.values()]
    .flatMap((own): ForeignAccount[] => {
      const [first] = own
      const charged = own.filter(({ amount }) => amount !== null)
      const usage = own.filter(({ amount }) => amount === null)
      const counted = usage.length > 0 ? usage : charged
      return first === undefined
        ? []
        : [
            {
              ...{ provider: first.provider, account: first.account ?? '' },
              amount: charged.length === 0 ? null : sum(charged, ({ amount }) => amount),
              tokens: sum(counted, (line) => (isTokenClass(line.class) ? line.quantity : 0n)),
              requests: sum(counted, ({ requests }) => requests),
              models: [...new Set(own.flatMap(({ billingModel }) => billingModel ?? []))].toSorted(),
              days: new Set(own.map(({ period }) => period)).size,
            },
          ]
    })
    .toSorted((a, b) => Number((b.amount ?? 0n) - (a.amount ?? 0n)) || (a.account < b.account ? -1 : 1))
}

/** A report that has such lines of a day covers the day for every key: what one of them lacks was not billed. */
export function coversUsage({ class: name }: Pick<ReportLine, 'class'>): boolean {
  return isTokenClass(name) || isTool(name)
}

function sum<T>(items: readonly T[], value: (item: T) => bigint | null): bigint {
  return items.reduce((total, item) => total + (value(item) ?? 0n), 0n)
}
