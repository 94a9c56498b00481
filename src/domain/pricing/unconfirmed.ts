/** How unconfirmed spend counts in the budgets of a workspace and its keys. */
export const UNCONFIRMED_POLICIES = ['bound', 'estimate', 'ignore'] as const

export type UnconfirmedPolicy = (typeof UNCONFIRMED_POLICIES)[number]

/** What a provider may bill for work whose usage is unknown, beyond the cost: digits of picodollars. */
export interface Unconfirmed {
  most: string
  estimate: string
}

/** What of it counts in budgets. */
export function countedOf({ most, estimate }: Unconfirmed, policy: string | null): bigint {
  switch (policy as UnconfirmedPolicy | null) {
    case 'ignore':
      return 0n
    case 'estimate':
      return BigInt(estimate)
    default:
      return BigInt(most)
  }
}
