import type { ReplyOf } from '../contract/contract.ts'
import { csvText } from './csv-text.ts'

const COLUMNS = [
  ...['period', 'provider', 'account', 'model', 'ours_usd', 'theirs_usd', 'difference_usd', 'quantity_usd'],
  ...['price_usd', 'unexplained_usd', 'causes'],
]

/** A line for each period, provider and model; then one for each key that is not the gateway's, of the whole month. */
export function comparisonCsv({ month, data, foreign_accounts: foreign }: ReplyOf<'reconciliation.get'>): string {
  const rows = data.flatMap(({ provider, cells }) =>
    cells.map((cell) => ({
      ...{ ...cell, provider, account: cell.accounts.join(' ') },
      causes: cell.causes.map(({ cause, amount_usd: amount }) => `${cause} ${amount}`).join('; '),
    })),
  )
  const others = foreign.map(({ provider, account, amount_usd: theirs, models }) => ({
    ...{ period: month, provider, account, model: models.join(' '), theirs_usd: theirs ?? '' },
    causes: "not this gateway's key",
  }))
  return csvText(COLUMNS, [...rows, ...others])
}
