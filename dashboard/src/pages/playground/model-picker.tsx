import { Group, Select, Text } from '@mantine/core'
import { useMemo, useState } from 'react'
import type { Item } from '../../api/client.ts'
import { useAll } from '../../api/hooks.ts'
import { priceText } from '../../format/money.ts'
import { tokens } from '../../format/number.ts'
import classes from './playground.module.css'

type CatalogItem = Item<'catalog.list'>

/** Everything a caller of this workspace may ask for, with what it costs. */
export function ModelPicker({
  label,
  workspace,
  value,
  onChange,
}: {
  label: string
  workspace: string
  value: string
  onChange: (id: string | null) => void
}) {
  const catalog = useAll('catalog.list', { query: { workspace } })
  const byId = useMemo(() => new Map(catalog.data?.map((item) => [item.id, item])), [catalog.data])
  const [typed, setTyped] = useState('')
  const data = useMemo(() => {
    const ids = (kind: CatalogItem['kind']) =>
      [...byId.values()].filter((item) => item.kind === kind).map(({ id }) => id)
    // The catalog does not know every model: a typed or linked name can still be called.
    const others = [...new Set([value, typed.trim()])].filter((id) => id !== '' && !byId.has(id))
    return [
      { group: 'Aliases', items: ids('alias') },
      { group: 'Direct ids', items: ids('direct') },
      { group: 'As typed', items: others },
    ].filter(({ items }) => items.length > 0)
  }, [byId, value, typed])
  return (
    <Select
      label={label}
      placeholder={catalog.isPending ? 'Loading …' : 'Choose or type a model'}
      data={data}
      value={value === '' ? null : value}
      onChange={onChange}
      searchable
      onSearchChange={setTyped}
      // Otherwise a name that was typed or pasted is lost on the way to the next field.
      onBlur={({ currentTarget }) => {
        const left = currentTarget.value.trim()
        if (left !== '' && left !== value) onChange(left)
      }}
      selectFirstOptionOnChange
      limit={60}
      maxDropdownHeight={360}
      // Wider than the field: a long name and its prices fit on one line.
      comboboxProps={{ width: 'min(30rem, calc(100vw - 2rem))', position: 'bottom-start' }}
      nothingFoundMessage="No matches"
      error={catalog.error?.message}
      renderOption={({ option }) => <Option id={option.value} item={byId.get(option.value)} />}
    />
  )
}

function Option({ id, item }: { id: string; item: CatalogItem | undefined }) {
  const first = item?.chain[0]
  return (
    <Group justify="space-between" wrap="nowrap" w="100%" gap="xs">
      <Text size="sm" style={{ flex: '1 1 auto', minWidth: '7rem', overflowWrap: 'anywhere' }}>
        {id}
      </Text>
      {first !== undefined && (
        <Text size="xs" className={`figures ${classes['prices']}`}>
          {priceText(first.input_per_mtok)} / {priceText(first.output_per_mtok)} · {tokens(first.context_window)}
        </Text>
      )}
    </Group>
  )
}
