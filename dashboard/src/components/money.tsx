import { columnUsd, exactUsd, shortUsd } from '../format/money.ts'

/** An amount, shortened for reading, with every digit on hover. Null is unknown and says so. */
export function Money({ usd, column = false, decimals }: { usd: string | null; column?: boolean; decimals?: number }) {
  if (usd === null) return <span title="Not known">–</span>
  const exact = exactUsd(usd)
  return (
    <span className="figures" title={`${exact} USD`}>
      {column ? columnUsd(usd, decimals) : shortUsd(usd)}
    </span>
  )
}
