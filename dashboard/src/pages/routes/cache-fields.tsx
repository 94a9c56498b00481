import { Checkbox, Group, Input, NumberInput, SegmentedControl, Stack } from '@mantine/core'
import type { Draft } from './route-draft.ts'

const HOUR = 3600

interface CacheFieldsProps {
  draft: Draft
  change: (draft: Draft) => void
  isReadOnly: boolean
  error: string | null | undefined
}

/** Whether and how answers of the route are stored. */
export function CacheFields({ draft, change, isReadOnly, error }: CacheFieldsProps) {
  const { cache } = draft
  const set = (more: Partial<NonNullable<Draft['cache']>>) =>
    change({ ...draft, cache: { ttl_seconds: HOUR, ...cache, ...more } })
  return (
    <Stack gap="xs">
      <Checkbox
        label="Cache answers"
        description="Identical requests get the stored answer for free; never shared across workspaces. Errors and fallback answers aren’t stored."
        checked={cache !== null}
        onChange={(event) => (event.currentTarget.checked ? set({}) : change({ ...draft, cache: null }))}
        disabled={isReadOnly}
      />
      {cache !== null && (
        <Group gap="md" ml={32} align="flex-end">
          <NumberInput
            label="For"
            suffix=" s"
            // Emptied is not a second: the gateway says what is wrong with it.
            value={cache.ttl_seconds || ''}
            clampBehavior="none"
            onChange={(seconds) => set({ ttl_seconds: typeof seconds === 'number' ? seconds : 0 })}
            min={1}
            max={30 * 24 * HOUR}
            allowDecimal={false}
            readOnly={isReadOnly}
            error={error}
            w={120}
          />
          <Input.Wrapper label="Given to" labelElement="div">
            <SegmentedControl
              aria-label="Who can get a stored answer"
              data={[
                { value: 'key', label: 'The same key' },
                { value: 'workspace', label: 'The whole workspace' },
              ]}
              value={cache.scope ?? 'key'}
              onChange={(scope) => set({ scope: scope === 'workspace' ? 'workspace' : 'key' })}
              disabled={isReadOnly}
              display="flex"
              h={36}
            />
          </Input.Wrapper>
          <Checkbox
            label="Also with tools"
            checked={cache.tools === true}
            onChange={(event) => set({ tools: event.currentTarget.checked })}
            disabled={isReadOnly}
            mb={8}
          />
        </Group>
      )}
    </Stack>
  )
}
