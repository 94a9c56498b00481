import { Button, Group, Stack, Text } from '@mantine/core'
import type { FormEvent } from 'react'
import { useChange } from '../../api/hooks.ts'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { tell } from '../../components/tell.ts'
import { FIGURE_FIELDS, type Rule, useFigures } from './rule-figures.tsx'

/** Changes the figures of a rule. */
export function EditRule({ of: rule, title, onClose }: { of: Rule; title: string; onClose: () => void }) {
  const update = useChange('alert-rules.update')
  const { body, fields } = useFigures(rule)
  function save(event: FormEvent) {
    event.preventDefault()
    const onSuccess = () => {
      tell('Rule saved')
      onClose()
    }
    update.mutate({ params: { rule: rule.name }, body }, { onSuccess })
  }
  return (
    <FormModal opened onClose={onClose} title="Edit rule" size="md">
      <form onSubmit={save}>
        <Stack>
          <Text size="sm" c="dimmed">
            {title}
          </Text>
          {fields(update.error)}
          <FormError error={update.error} fields={FIGURE_FIELDS} />
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
    </FormModal>
  )
}
