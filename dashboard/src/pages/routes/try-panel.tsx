import { SegmentedControl, Stack, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { Panel } from '../../components/panel.tsx'
import { useUrlState } from '../../shell/place.ts'
import { ExplanationView } from './explanation-view.tsx'
import { RealCall } from './real-call.tsx'
import { tryBody } from './try-body.ts'

const WAYS = [
  { value: 'explain', label: 'Explain' },
  { value: 'call', label: 'Call' },
]

/** Where a request to this route would go, without calling anyone, or a real call. */
export function TryPanel({ alias, hasChanges }: { alias: string; hasChanges: boolean }) {
  const [search, change] = useUrlState()
  const [message, setMessage] = useState('Hello')
  const [more, setMore] = useState('')
  const [settled] = useDebouncedValue(JSON.stringify({ message, more }), 300)
  const now = tryBody(alias, message, more)
  const later = tryBody(alias, JSON.parse(settled).message, JSON.parse(settled).more)
  const way = search['try'] === 'call' ? 'call' : 'explain'
  return (
    <Panel
      title="Try it"
      description={
        way === 'explain' ? 'Where a call would go now, without calling a provider' : 'A real call, billed as usual'
      }
      actions={
        <SegmentedControl
          size="xs"
          aria-label="How to try it"
          data={WAYS}
          value={way}
          onChange={(next) => change({ try: next === 'call' ? 'call' : null })}
        />
      }
    >
      <Stack gap="sm">
        {hasChanges && (
          <Text size="xs" c="var(--warn)" role="status">
            This tries the route as it is saved, without your changes.
          </Text>
        )}
        <Textarea
          label="Message"
          value={message}
          onChange={(event) => setMessage(event.currentTarget.value)}
          autosize
          minRows={1}
          maxRows={6}
        />
        <Textarea
          label="More fields"
          placeholder='{"temperature": 0.2, "max_tokens": 100}'
          value={more}
          onChange={(event) => setMore(event.currentTarget.value)}
          error={now.problem}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          autosize
          minRows={1}
          maxRows={8}
          spellCheck={false}
        />
        {way === 'explain' ? <ExplanationView alias={alias} body={later.body} /> : <RealCall body={now.body} />}
      </Stack>
    </Panel>
  )
}
