import { SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { exactText } from '../../charts/units.ts'
import { Money } from '../../components/money.tsx'
import { Stat } from '../../components/stat.tsx'
import { type Comparison, compareFigures } from '../../format/comparison.ts'
import { isZero } from '../../format/exact.ts'
import { drawableUsd, shortUsd } from '../../format/money.ts'
import { count, percent, shortCount } from '../../format/number.ts'
import type { Sums } from './usage-rows.ts'

/** The whole period in four figures, against the same time before. */
export function UsageTotals({ total, before }: { total: Sums | undefined; before: Sums | undefined }) {
  const compared = (figure: (sums: Sums) => number) =>
    total && before ? compareFigures(figure(total), figure(before), 'neither') : null
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing={10}>
      <Stat
        label="Spend"
        value={total && <Money usd={total.cost_usd} />}
        note={<Note comparison={compared((sums) => drawableUsd(sums.cost_usd))}>{unpricedNote(total)}</Note>}
      />
      <Stat
        label="Requests"
        value={total && count(total.requests)}
        note={
          <Note comparison={compared((sums) => sums.requests)}>
            {total && `${percent(total.errors, total.requests)} errors`}
          </Note>
        }
      />
      <Stat
        label="Prompt tokens"
        value={total && <Tokens value={total.prompt_tokens} />}
        note={
          <Note comparison={compared((sums) => sums.prompt_tokens)}>
            {total && `${percent(total.cached_tokens, total.prompt_tokens)} from cache${savedText(total)}`}
          </Note>
        }
      />
      <Stat
        label="Completion tokens"
        value={total && <Tokens value={total.completion_tokens} />}
        note={
          <Note comparison={compared((sums) => sums.completion_tokens)}>
            {total && `${percent(total.reasoning_tokens, total.completion_tokens)} reasoning`}
          </Note>
        }
      />
    </SimpleGrid>
  )
}

/** What the caches of providers saved, after a comma; empty: nothing. */
export function savedText({ prompt_cache_saved_usd: saved }: Sums): string {
  if (isZero(saved)) return ''
  return saved.startsWith('-') ? `, which cost ${shortUsd(saved.slice(1))} more` : `, saved ${shortUsd(saved)}`
}

function unpricedNote(total: Sums | undefined) {
  if (total === undefined) return undefined
  if (total.unpriced_requests === 0) {
    if (total.cache_hits === 0) return 'every request priced'
    return (
      <>
        <Money usd={total.saved_usd} /> saved by {count(total.cache_hits)}{' '}
        {total.cache_hits === 1 ? 'cache hit' : 'cache hits'}
      </>
    )
  }
  return (
    <Text span inherit c="var(--warn)">
      without {count(total.unpriced_requests)} unpriced
    </Text>
  )
}

function Tokens({ value }: { value: number }) {
  return <span title={exactText(String(value), 'tokens')}>{shortCount(value)}</span>
}

function Note({ comparison, children }: { comparison: Comparison | null; children: ReactNode }) {
  return (
    <>
      {comparison !== null && (
        <>
          <span title="Compared with the previous period">{comparison.text}</span> ·{' '}
        </>
      )}
      {children}
    </>
  )
}
