import { Collapse, Group, NumberInput, Textarea, UnstyledButton } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { ChevronDown, ChevronRight } from 'lucide-react'
import type { Draft } from '../../components/playground-draft.ts'

type Settings = Pick<Draft, 'temperature' | 'maxTokens' | 'more'>

/** Left empty, a parameter is not sent, and the model's own default applies. */
export function Parameters({ draft, onChange }: { draft: Settings; onChange: (change: Partial<Settings>) => void }) {
  const [isOpen, { toggle }] = useDisclosure(draft.more !== '')
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <div>
      <UnstyledButton onClick={toggle} aria-expanded={isOpen} fz="sm" fw={550}>
        <Group gap={4}>
          <Chevron size={15} aria-hidden />
          Parameters
        </Group>
      </UnstyledButton>
      <Collapse expanded={isOpen}>
        <Group grow mt="xs" align="flex-start">
          <NumberInput
            label="temperature"
            placeholder="not sent"
            min={0}
            max={2}
            step={0.1}
            value={draft.temperature ?? ''}
            onChange={(value) => onChange({ temperature: value === '' ? null : Number(value) })}
          />
          <NumberInput
            label="max_tokens"
            placeholder="not sent"
            min={1}
            allowDecimal={false}
            value={draft.maxTokens ?? ''}
            onChange={(value) => onChange({ maxTokens: value === '' ? null : Number(value) })}
          />
        </Group>
        <Textarea
          mt="xs"
          label="More fields"
          description="As a JSON object: tools, response_format, reasoning_effort, seed …"
          placeholder={'{ "seed": 7 }'}
          autosize
          minRows={2}
          maxRows={12}
          value={draft.more}
          onChange={(event) => onChange({ more: event.currentTarget.value })}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.78rem' } }}
        />
      </Collapse>
    </div>
  )
}
