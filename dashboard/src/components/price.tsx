import { priceText } from '../format/money.ts'

/** A figure space: as wide as a digit, so that a column is aligned at the decimal point. */
const FIGURE_SPACE = '\u2007'

/**
 * A price per million tokens, in USD. Null is shown as unknown; where a plain input price is known, null means that the
 * class is charged like plain input.
 */
export function Price({
  usd,
  input = null,
  aligned = false,
}: {
  usd: string | null
  /** The price of plain input, for the classes that fall back to it. */
  input?: string | null
  aligned?: boolean
}) {
  if (usd === null) {
    const text = input === null ? 'unknown' : 'as input'
    return <span style={{ color: 'var(--mantine-color-dimmed)' }}>{text}</span>
  }
  const text = priceText(usd)
  const decimals = text.length - 1 - text.indexOf('.')
  return (
    <span className="figures" title={`${text} USD per million tokens`}>
      {text}
      {aligned && <span className="decimal-pad">{FIGURE_SPACE.repeat(Math.max(0, 3 - decimals))}</span>}
    </span>
  )
}
