import { asPicodollars, exactUsd } from '../../domain/pricing/price.ts'
import type { CorrectionsTable } from '../../store/engine/correction-table.ts'
import { timestamp } from '../contract/fields.ts'

export function correctionView({ picodollars, counted_picodollars: counted, ...row }: CorrectionsTable) {
  return {
    ...row,
    created_at: timestamp(row.created_at),
    charged_at: timestamp(row.charged_at),
    cost_usd: signed(BigInt(picodollars)),
    counted_usd: signed(BigInt(counted)),
  }
}

function signed(picodollars: bigint): string {
  return picodollars < 0n ? `-${exactUsd(asPicodollars(-picodollars))}` : exactUsd(asPicodollars(picodollars))
}
