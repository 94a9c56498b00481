import { Combobox, Group, Loader, Stack, Text, TextInput, useCombobox } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { type Option, useOptions } from './filter-options.ts'
import { durationOfText, FIELD_TITLES, type Field } from './filters.ts'
import classes from './requests.module.css'

/** Most that are drawn at once: typing a letter finds the others. */
const MOST_SHOWN = 60

export interface EditorProps {
  field: Field
  onChange: (change: Record<string, string | null>) => void
}

/** The value of one filter: chosen from what there is, or typed. */
export function FilterEditor({ field, onChange }: EditorProps) {
  const typed = TYPED[field]
  if (typed !== undefined) return <TextEditor field={field} {...typed} onChange={onChange} />
  return <OptionsEditor key={field} field={field} onChange={onChange} />
}

function OptionsEditor({ field, onChange }: EditorProps) {
  const { options, isLoading, isFree } = useOptions(field)
  const [text, setText] = useState('')
  const combobox = useCombobox({ opened: true })
  const wanted = text.trim()
  const found = options.filter(({ label }) => label.toLowerCase().includes(wanted.toLowerCase())).slice(0, MOST_SHOWN)
  const isTyped = isFree && wanted !== '' && !found.some(({ label }) => label === wanted)
  function submit(value: string) {
    const option = found[Number(value)]
    onChange(option === undefined ? { [field]: wanted } : option.change)
  }
  return (
    <Combobox store={combobox} onOptionSubmit={submit}>
      <Combobox.EventsTarget withExpandedAttribute>
        <TextInput
          data-autofocus
          autoFocus
          role="combobox"
          label={FIELD_TITLES[field]}
          placeholder={isFree ? 'Choose or type' : 'Choose'}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            combobox.updateSelectedOptionIndex()
          }}
          onFocus={() => combobox.selectFirstOption()}
        />
      </Combobox.EventsTarget>
      <Combobox.Options aria-label={FIELD_TITLES[field]} mah={280} mt="xs" className={classes['options'] ?? ''}>
        {found.map((option, index) => (
          <Combobox.Option key={JSON.stringify(option.change)} value={String(index)}>
            <OptionLine option={option} />
          </Combobox.Option>
        ))}
        {isTyped && <Combobox.Option value="typed">Exactly “{wanted}”</Combobox.Option>}
        {found.length === 0 && !isTyped && (
          <Combobox.Empty>
            {isLoading ? (
              <Loader size="xs" role="status" aria-label="Loading" />
            ) : (
              'None in the last 7 days. Type a value.'
            )}
          </Combobox.Empty>
        )}
      </Combobox.Options>
    </Combobox>
  )
}

function OptionLine({ option }: { option: Option }) {
  return (
    <Group justify="space-between" wrap="nowrap" gap="sm">
      <Text size="sm" truncate title={option.label}>
        {option.label}
      </Text>
      {option.note !== undefined && (
        <Text size="xs" c="dimmed" className="figures" style={{ flex: 'none' }}>
          {option.note}
        </Text>
      )}
    </Group>
  )
}

interface Typed {
  label?: string
  description: string
  placeholder: string
  /** The value of the filter; null: it is none, and `otherwise` is said. */
  read?: (text: string) => string | null
  otherwise?: string
}

const matching = (pattern: RegExp) => (text: string) => (pattern.test(text) ? text : null)
const A_DURATION = {
  description: 'From admission to the end, e.g. 5 s, 300 ms, 2 m. Press Enter to apply.',
  placeholder: '5 s',
  read: durationOfText,
  otherwise: 'A duration such as 5 s or 300 ms',
}

/** Filters whose values cannot be listed. */
const TYPED: Partial<Record<Field, Typed>> = {
  min_cost_usd: {
    label: 'Cost at least',
    description: 'In USD, per call. Press Enter to apply.',
    placeholder: '0.05',
    read: (text) => matching(/^\d+(\.\d{1,12})?$/)(text.replace(/^\$/, '')),
    otherwise: 'An amount such as 0.05',
  },
  min_duration_ms: A_DURATION,
  max_duration_ms: A_DURATION,
  tag: {
    description: 'NAME:VALUE from the metadata callers send. Press Enter to apply.',
    placeholder: 'team:search',
    read: matching(/^[^:]+:./),
    otherwise: 'A name and a value, such as team:search',
  },
  reason: {
    description: 'Text from the reason calls failed. Press Enter to apply.',
    placeholder: 'requests per minute',
  },
  param: {
    description: 'The field the error is about, including fields inside it. Press Enter to apply.',
    placeholder: 'messages',
  },
  provider_code: {
    description: 'The provider’s name for the error. Press Enter to apply.',
    placeholder: 'insufficient_quota',
  },
}

function TextEditor({ field, label, description, placeholder, read, otherwise, onChange }: Typed & EditorProps) {
  const [text, setText] = useState('')
  const [error, setError] = useState<string | null>(null)
  function submit(event: FormEvent) {
    event.preventDefault()
    const value = (read ?? matching(/./))(text.trim())
    if (value !== null) onChange({ [field]: value })
    else setError(otherwise ?? null)
  }
  return (
    <form onSubmit={submit}>
      <TextInput
        data-autofocus
        autoFocus
        label={label ?? FIELD_TITLES[field]}
        description={description}
        placeholder={placeholder}
        value={text}
        error={error}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}

/** A request by its id, as callers know it from the answer. */
export function IdEditor({ onOpen }: { onOpen: (id: string) => void }) {
  const [text, setText] = useState('')
  function submit(event: FormEvent) {
    event.preventDefault()
    if (text.trim() !== '') onOpen(text.trim())
  }
  return (
    <form onSubmit={submit}>
      <Stack gap={4}>
        <TextInput
          data-autofocus
          autoFocus
          label="Request id"
          description="The x-gateway-request-id header, or the completion’s id. Press Enter to open it."
          placeholder="chatcmpl_…"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </Stack>
    </form>
  )
}
