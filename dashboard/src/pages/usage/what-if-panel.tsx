import { Group, Select, Text } from '@mantine/core'
import { DatePickerInput } from '@mantine/dates'
import { ArrowLeftRight } from 'lucide-react'
import { useMemo } from 'react'
import type { Item } from '../../api/client.ts'
import { useAll } from '../../api/hooks.ts'
import { useCalendar } from '../../components/calendar.ts'
import { Panel } from '../../components/panel.tsx'
import { EmptyState } from '../../components/states.tsx'
import { priceText } from '../../format/money.ts'
import { useUrlState } from '../../shell/place.ts'
import classes from './usage.module.css'
import { dayText, MOST_WHAT_IF_DAYS, type UsageView } from './usage-view.ts'
import { useToday } from './use-usage.ts'
import { WhatIfResult } from './what-if-result.tsx'

/** What the same calls would have cost at other prices. */
export function WhatIfPanel({ view }: { view: UsageView }) {
  const [search] = useUrlState()
  const model = search['compare'] ?? null
  const pricesAt = search['prices_at'] ?? null
  const isTooLong = view.days > MOST_WHAT_IF_DAYS
  return (
    <Panel
      title="What if"
      description="What the same calls would have cost at another model's prices, or at the prices of another day"
      actions={<Choice model={model} pricesAt={pricesAt} />}
    >
      {isTooLong ? (
        <EmptyState title={`At most ${MOST_WHAT_IF_DAYS} days can be compared`} icon={ArrowLeftRight}>
          Choose a shorter period.
        </EmptyState>
      ) : model === null && pricesAt === null ? (
        <EmptyState title="Nothing to compare with yet" icon={ArrowLeftRight}>
          Choose a model, and every call of the period is priced again as if that model had answered it; or a day, and
          each call is priced as its own model was on that day.
        </EmptyState>
      ) : (
        <WhatIfResult view={view} model={model} pricesAt={pricesAt} />
      )}
    </Panel>
  )
}

function Choice({ model, pricesAt }: { model: string | null; pricesAt: string | null }) {
  const [, change] = useUrlState()
  const today = useToday()
  const registry = useAll('registry.list', {})
  const priced = useMemo(() => pricedModels(registry.data ?? []), [registry.data])
  const isKnown = model === null || priced.has(model)
  const names = [...priced.keys()]
  return (
    <Group gap="xs">
      <Select
        aria-label="Model to compare with"
        placeholder="Each call's own model"
        size="xs"
        w={240}
        searchable
        clearable
        limit={100}
        data={isKnown ? names : [model, ...names]}
        value={model}
        onChange={(next) => change({ compare: next })}
        nothingFoundMessage={registry.isPending ? 'Loading …' : 'No model of that name has a price'}
        comboboxProps={{ width: 'max-content', position: 'bottom-end', portalProps: { target: '#content' } }}
        renderOption={({ option }) => (
          <span className={classes['option']}>
            {option.value}
            <Text span size="xs" className={classes['price'] ?? ''}>
              {priced.get(option.value)}
            </Text>
          </span>
        )}
      />
      <DatePickerInput
        {...useCalendar()}
        aria-label={pricesAt === null ? 'Today’s prices' : `Prices of ${dayText(pricesAt)}`}
        placeholder="Today’s prices"
        size="xs"
        w={170}
        clearable
        clearButtonProps={{ 'aria-label': 'Back to the prices of today' }}
        valueFormatter={() => (pricesAt === null ? '' : `Prices of ${dayText(pricesAt)}`)}
        maxDate={today}
        value={pricesAt}
        onChange={(day) => change({ prices_at: day })}
      />
    </Group>
  )
}

/** By name, with what a million tokens cost in and out. */
function pricedModels(models: readonly Item<'registry.list'>[]): Map<string, string> {
  return new Map(
    models
      .filter(({ input_per_mtok: input }) => input !== null)
      .map(({ provider, model, input_per_mtok: input, output_per_mtok: output }) => [
        `${provider}/${model}`,
        `${priceText(input)} in, ${priceText(output)} out`,
      ]),
  )
}
