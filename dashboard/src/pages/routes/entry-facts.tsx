import { Anchor } from '@mantine/core'
import { TriangleAlert } from 'lucide-react'
import { Link } from 'wouter'
import { Price } from '../../components/price.tsx'
import { tokens } from '../../format/number.ts'
import { usePath } from '../../shell/place.ts'
import type { KnownModel } from './route-checks.ts'
import type { DraftEntry } from './route-draft.ts'
import classes from './routes.module.css'

export interface EntryFactsProps {
  entry: DraftEntry
  known: KnownModel | undefined
  warnings: readonly string[]
}

/** What an entry costs and takes, and what is worth a second look. */
export function EntryFacts({ entry, known, warnings }: EntryFactsProps) {
  const path = usePath()
  return (
    <>
      {known !== undefined && known.mode !== null && (
        <div className={classes['facts']} style={{ paddingTop: 6 }}>
          <span>
            in <Price usd={known.input_per_mtok} />
          </span>
          <span>
            cached <Price usd={known.cached_input_per_mtok} input={known.input_per_mtok} />
          </span>
          <span>
            out <Price usd={known.output_per_mtok} /> per M tokens
          </span>
          {known.context_window !== null && <span>{tokens(known.context_window)} context</span>}
          {known.max_output_tokens !== null && <span>{tokens(known.max_output_tokens)} output</span>}
          <Anchor component={Link} inherit href={path('registry', entry.provider, known.model)}>
            Price history
          </Anchor>
        </div>
      )}
      {warnings.map((warning) => (
        <div key={warning} className={classes['warning']} style={{ paddingTop: 4 }}>
          <TriangleAlert size={13} aria-hidden />
          <span>{warning}</span>
        </div>
      ))}
    </>
  )
}
