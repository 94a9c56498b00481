import { CloseButton, TextInput, type TextInputProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

export interface SearchFieldProps extends Omit<TextInputProps, 'value' | 'onChange' | 'label'> {
  label: string
  /** What the address says. */
  value: string
  /** Called when the typing pauses: the address changes then, not with every letter. */
  onSearch: (text: string) => void
}

/** A search whose text is kept in the address. Escape empties it. */
export function SearchField({ label, value, onSearch, ...others }: SearchFieldProps) {
  const [text, setText] = useState(value)
  const latest = useRef(value)
  const tell = useDebouncedCallback((next: string) => {
    latest.current = next
    onSearch(next)
  }, 150)
  useEffect(() => {
    // The address was changed from outside: a link, the palette, a button that clears all filters.
    if (value !== latest.current) setText(value)
    latest.current = value
  }, [value])
  function change(next: string) {
    setText(next)
    tell(next)
  }
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      leftSection={<Search size={15} aria-hidden />}
      rightSection={text === '' ? null : <CloseButton size="sm" aria-label="Clear search" onClick={() => change('')} />}
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && text !== '') change('')
      }}
      {...others}
    />
  )
}
