import { Text, VisuallyHidden } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Reply } from '../../api/client.ts'
import { Price } from '../../components/price.tsx'
import { priceText } from '../../format/money.ts'
import { count, tokens } from '../../format/number.ts'
import { valueText } from '../../format/value.ts'
import classes from './import.module.css'
import { Direction } from './move-line.tsx'
import { fieldMove } from './price-change.ts'

/** Lists of the community have thousands of models; typing a name finds one. */
const SHOWN = 100

export type ImportReport = Reply<'registry.import'>

/** Arrows need a heading only for screen readers. */
const DIRECTION = 'Direction'

export function ChangedRows({ changed, search }: { changed: ImportReport['changed']; search: string }) {
  const found = changed.filter(matching(search))
  return (
    <Rows label="Changed models" headings={['Model', 'Field', 'Now', 'After', DIRECTION]} total={found.length}>
      {found.slice(0, SHOWN).flatMap(({ provider, model, changes }) =>
        changes.map(({ field, before, after }, index) => {
          const move = fieldMove(field, before, after)
          return (
            <tr key={`${provider}/${model} ${field}`}>
              <td>{index === 0 && <Id provider={provider} model={model} />}</td>
              <td>{field.replace(/_per_mtok$/, '').replaceAll('_', ' ')}</td>
              <td className={`figures ${classes['dim']}`}>{fieldText(field, before)}</td>
              <td className="figures">{fieldText(field, after)}</td>
              <td className="figures">{move !== null && <Direction {...move} />}</td>
            </tr>
          )
        }),
      )}
    </Rows>
  )
}

function fieldText(field: string, value: unknown): string {
  if (field.endsWith('_per_mtok') && typeof value === 'string') return priceText(value)
  if (typeof value === 'number') return count(value)
  return valueText(value)
}

export function AddedRows({ added, search }: { added: ImportReport['added']; search: string }) {
  const found = added.filter(matching(search))
  return (
    <Rows label="Added models" headings={['Model', 'Input', 'Cached', 'Output', 'Window']} total={found.length}>
      {found.slice(0, SHOWN).map((row) => (
        <tr key={`${row.provider}/${row.model}`}>
          <td>
            <Id provider={row.provider} model={row.model} />
          </td>
          <td>
            <Price usd={row.input_per_mtok} />
          </td>
          <td>
            <Price usd={row.cached_input_per_mtok} input={row.input_per_mtok} />
          </td>
          <td>
            <Price usd={row.output_per_mtok} />
          </td>
          <td className="figures">{tokens(row.context_window)}</td>
        </tr>
      ))}
    </Rows>
  )
}

export function SkippedRows({ skipped, search }: { skipped: ImportReport['skipped']; search: string }) {
  const word = search.toLowerCase()
  const found = skipped.filter(({ reason, names }) => `${reason} ${names.join(' ')}`.toLowerCase().includes(word))
  return (
    <Rows label="Skipped models" headings={['Why', 'Models', 'For example']} total={found.length}>
      {found.slice(0, SHOWN).map(({ reason, count: models, names }) => (
        <tr key={reason}>
          <td>{reason}</td>
          <td className="figures">{count(models)}</td>
          <td className="mono" title={names.join(', ')}>
            {names.slice(0, 3).join(', ')}
            {models > 3 && ' …'}
          </td>
        </tr>
      ))}
    </Rows>
  )
}

function matching(search: string) {
  const word = search.toLowerCase()
  return ({ provider, model }: { provider: string; model: string }) =>
    `${provider}/${model}`.toLowerCase().includes(word)
}

function Id({ provider, model }: { provider: string; model: string }) {
  return (
    <>
      <span className={classes['dim']}>{provider}/</span>
      {model}
    </>
  )
}

interface RowsProps {
  label: string
  headings: readonly string[]
  total: number
  children: ReactNode
}

function Rows({ label, headings, total, children }: RowsProps) {
  if (total === 0) {
    return (
      <Text size="sm" c="dimmed" ta="center" py="lg">
        None.
      </Text>
    )
  }
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section className={classes['rows']} aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {headings.map((heading) => (
                <th scope="col" key={heading}>
                  {heading === DIRECTION ? <VisuallyHidden>{heading}</VisuallyHidden> : heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </section>
      {total > SHOWN && (
        <Text size="xs" c="dimmed">
          The first {SHOWN} of {count(total)}: type a name to find others.
        </Text>
      )}
    </>
  )
}
