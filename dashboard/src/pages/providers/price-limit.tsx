import { Select } from '@mantine/core'
import { useChange } from '../../api/hooks.ts'
import { useRefusal } from '../../api/session.ts'
import { tell } from '../../components/tell.ts'
import type { Provider } from './provider-health.ts'

const AS_SEEN = 'seen'

/** What its account charges at most. Also of a provider that the file or the environment sets up: neither says so. */
export function PriceLimit({ provider: { name, price_percent: percent } }: { provider: Provider }) {
  const put = useChange('providers.price-percent')
  const refusal = useRefusal('providers.price-percent')
  const value = percent === null ? AS_SEEN : String(percent)
  const choices = [
    { value: AS_SEEN, label: 'what its answers show' },
    { value: '100', label: 'list price: no dearer tier or region' },
    { value: '110', label: '110 %: a regional surcharge' },
    { value: '200', label: '200 %: a priority tier' },
  ]
  if (!choices.some((each) => each.value === value)) choices.push({ value, label: `${value} %` })
  function change(chosen: string | null) {
    const price_percent = chosen === null || chosen === AS_SEEN ? null : Number(chosen)
    put.mutate(
      { params: { name }, body: { price_percent } },
      { onSuccess: () => tell(`Hard budgets now hold for what ${name} charges.`) },
    )
  }
  return (
    <Select
      aria-label="Charges at most"
      size="xs"
      w={260}
      allowDeselect={false}
      comboboxProps={{ withinPortal: false }}
      data={choices}
      value={value}
      disabled={refusal !== undefined || put.isPending}
      title={refusal}
      error={put.error?.message}
      onChange={change}
    />
  )
}
