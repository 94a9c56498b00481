import { Button, Group, Modal, NumberInput, Stack, TagsInput, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Reply } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { FormError } from '../../components/form-error.tsx'
import { tell } from '../../components/tell.ts'

export type Rule = Reply<'alert-rules.list'>['data'][number]

const FIGURES = [
  { name: 'percent', label: 'Error rate, %', min: 1, max: 100, step: 1 },
  { name: 'factor', label: 'Times normal', min: 1.1, max: 100, step: 0.5 },
  { name: 'calls', label: 'Minimum calls in ten minutes', min: 1, max: 1_000_000, step: 10 },
  { name: 'seconds', label: 'Seconds', min: 1, max: 86_400, step: 10 },
] as const
type Figure = (typeof FIGURES)[number]['name']

/** Whether it has figures to change. */
export function isEditable(rule: Rule): boolean {
  return rule.thresholds !== null || FIGURES.some(({ name }) => rule[name] !== null)
}

/** Changes the figures of a rule. */
export function EditRule({ of: rule, title, onClose }: { of: Rule; title: string; onClose: () => void }) {
  const update = useChange('alert-rules.update')
  const [thresholds, setThresholds] = useState(rule.thresholds?.map(String) ?? [])
  const own = FIGURES.filter(({ name }) => rule[name] !== null)
  const [figures, setFigures] = useState<Partial<Record<Figure, number>>>(
    Object.fromEntries(own.map(({ name }) => [name, rule[name] ?? 0])),
  )
  function save(event: FormEvent) {
    event.preventDefault()
    const levels = thresholds.map(Number).sort((a, b) => a - b)
    const body = { ...figures, ...(rule.thresholds === null ? {} : { thresholds: levels }) }
    const onSuccess = () => {
      tell('Rule saved')
      onClose()
    }
    update.mutate({ params: { rule: rule.rule }, body }, { onSuccess })
  }
  return (
    <Modal opened onClose={onClose} title="Edit rule" size="md">
      <form onSubmit={save}>
        <Stack>
          <Text size="sm" c="dimmed">
            {title}
          </Text>
          {rule.thresholds !== null && (
            <TagsInput
              label="Thresholds, % of the budget"
              description="Press Enter after each number."
              data-autofocus
              value={thresholds}
              onChange={setThresholds}
              splitChars={[',', ' ']}
              error={problemAt(update.error, 'thresholds')}
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
              error={problemAt(update.error, name)}
            />
          ))}
          <FormError error={update.error} fields={['thresholds', ...own.map(({ name }) => name)]} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={update.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  )
}
