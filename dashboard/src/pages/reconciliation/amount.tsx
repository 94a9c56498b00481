import { Text } from '@mantine/core'
import { Money } from '../../components/money.tsx'
import { isZero } from '../../format/exact.ts'
import { signed } from './reconciliation-rows.ts'

/** A difference with its sign and every digit; zero stays quiet. */
export function Difference({ usd, isBad = false }: { usd: string; isBad?: boolean }) {
  const isNothing = isZero(usd)
  const color = isNothing ? 'dimmed' : isBad ? 'var(--bad)' : null
  return (
    <Text span inherit className="figures" {...(color !== null && { c: color })} title={`${usd} USD`}>
      {isNothing ? '0' : signed(usd)}
    </Text>
  )
}

/** Of a bill, which credits may make negative. */
export function Billed({ usd }: { usd: string }) {
  return usd.startsWith('-') ? <Difference usd={usd} /> : <Money usd={usd} column />
}
