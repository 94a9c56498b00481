import { Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import classes from './providers.module.css'
import { matching, type Vendor } from './vendors.ts'

/** Every vendor the gateway knows, and a way to find one. */
export function VendorGrid({ vendors, onChoose }: { vendors: readonly Vendor[]; onChoose: (vendor: Vendor) => void }) {
  const [text, setText] = useState('')
  const shown = matching(vendors, text)
  const search = useRef<HTMLInputElement>(null)
  // The drawer may have opened before there was a field to focus.
  useEffect(() => search.current?.focus(), [])
  return (
    <Stack>
      <TextInput
        ref={search}
        type="search"
        label="Vendor"
        placeholder="Search"
        leftSection={<Search size={15} aria-hidden />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = shown
          if (event.key === 'Enter' && first !== undefined) onChoose(first)
        }}
        data-autofocus
      />
      <ul className={classes['vendors']} aria-label="Vendors">
        {shown.map((vendor) => (
          <li key={vendor.id}>
            <UnstyledButton className={classes['vendor'] ?? ''} onClick={() => onChoose(vendor)}>
              <VendorMark title={vendor.title} />
              <span>
                <Text span display="block" fw={600} size="sm">
                  {vendor.title}
                </Text>
                <Text span display="block" size="xs" c="dimmed">
                  {vendor.hint}
                </Text>
              </span>
            </UnstyledButton>
          </li>
        ))}
      </ul>
    </Stack>
  )
}

export function VendorMark({ title }: { title: string }) {
  return (
    <span className={classes['mark']} aria-hidden>
      {title.slice(0, 1).toUpperCase()}
    </span>
  )
}
