import { NumberInput, TagsInput } from '@mantine/core'
import { useState } from 'react'
import type { ApiError, Reply } from '../../api/client.ts'
import { problemAt } from '../../api/problem.ts'

export type Rule = Reply<'alert-rules.list'>['data'][number]

const FIGURES = [
  { name: 'percent', label: 'Share, %', min: 1, max: 100, step: 1 },
  { name: 'factor', label: 'Times normal', min: 1.1, max: 100, step: 0.5 },
  { name: 'calls', label: 'Minimum calls in ten minutes', min: 1, max: 1_000_000, step: 10 },
  { name: 'usd', label: 'Amount, USD', min: 0, max: 1_000_000_000, step: 1 },
  { name: 'seconds', label: 'Seconds', min: 1, max: 86_400, step: 10 },
] as const
type Figure = (typeof FIGURES)[number]['name']

export const FIGURE_FIELDS = ['thresholds', ...FIGURES.map(({ name }) => name)]

/** Whether it has figures to change. */
export function hasFigures(rule: Rule): boolean {
  return rule.thresholds !== null || FIGURES.some(({ name }) => rule[name] !== null)
}

/** The figures that this rule has, as fields, and what is entered in them. */
export function useFigures(rule: Rule) {
  const [thresholds, setThresholds] = useState(rule.thresholds?.map(String) ?? [])
  const own = FIGURES.filter(({ name }) => rule[name] !== null)
  const [figures, setFigures] = useState<Partial<Record<Figure, number>>>(
    Object.fromEntries(own.map(({ name }) => [name, rule[name] ?? 0])),
  )
  const levels = thresholds.map(Number).sort((a, b) => a - b)
  const body = { ...figures, ...(rule.thresholds === null ? {} : { thresholds: levels }) }
  const fields = (error: ApiError | null) => (
    <>
      {rule.thresholds !== null && (
        <TagsInput
          label="Thresholds, % of the budget"
          description="Press Enter after each number."
          data-autofocus
          value={thresholds}
          onChange={setThresholds}
          splitChars={[',', ' ']}
          error={problemAt(error, 'thresholds')}
        />
      )}
      {own.map(({ name, label, min, max, step }, index) => (
        <NumberInput
          key={name}
          label={label}
          min={min}
          max={max}
          step={step}
          {...(index === 0 && rule.thresholds === null ? { 'data-autofocus': true } : {})}
          value={figures[name] ?? ''}
          onChange={(value) => setFigures({ ...figures, [name]: Number(value) })}
          error={problemAt(error, name)}
        />
      ))}
    </>
  )
  return { body, fields }
}
