import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import type { Versioned } from '../../api/client.ts'
import { useChange } from '../../api/hooks.ts'
import { problemElsewhere } from '../../api/problem.ts'
import { LimitsInWords } from '../../components/limits/limits-in-words.tsx'
import { MayButton } from '../../components/may-button.tsx'
import { tell } from '../../components/tell.ts'
import { KEY_FIELDS, KeyFields } from './key-fields.tsx'
import { changedSettings, isReady, keyForm } from './key-form.ts'
import type { Key } from './key-list.ts'

/** The form starts from what was read and keeps it, until it is saved or the user asks for the newer state. */
export function KeySettings({ read, reload }: { read: Versioned<Key>; reload: () => Promise<unknown> }) {
  const update = useChange('keys.update')
  const [base, setBase] = useState(read)
  const [form, setForm] = useState(keyForm(read.value))
  const changes = changedSettings(keyForm(base.value), form)
  const isChanged = Object.keys(changes).length > 0
  // Without unsaved input, a change from outside is followed at once.
  if (!isChanged && read.etag !== base.etag) follow(read)

  function follow(version: Versioned<Key>) {
    setBase(version)
    setForm(keyForm(version.value))
  }

  function save(ifMatch: string | null) {
    const onSuccess = (value: Key) => {
      follow({ value, etag: null })
      tell(`${value.name} saved. Applies from the next call.`)
    }
    update.mutate({ params: { id: base.value.id }, body: changes, ifMatch }, { onSuccess })
  }

  async function loadNewer() {
    update.reset()
    setForm(keyForm(base.value))
    await reload()
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    if (isChanged && isReady(form)) save(base.etag)
  }

  const isStale = update.error?.status === 412
  const elsewhere = isStale ? null : problemElsewhere(update.error, KEY_FIELDS)
  return (
    <form onSubmit={submit}>
      <Stack>
        <KeyFields form={form} onChange={setForm} error={update.error} />
        {isStale && <Stale onLoad={() => void loadNewer()} onOverwrite={() => save(null)} />}
        {elsewhere !== null && (
          <Text size="sm" c="var(--bad)" role="alert">
            {elsewhere}
          </Text>
        )}
        <Group justify="flex-end">
          <Button variant="default" disabled={!isChanged} onClick={() => setForm(keyForm(base.value))}>
            Undo changes
          </Button>
          <MayButton to="keys.update" type="submit" loading={update.isPending} disabled={!isChanged || !isReady(form)}>
            Save
          </MayButton>
        </Group>
      </Stack>
    </form>
  )
}

function Stale({ onLoad, onOverwrite }: { onLoad: () => void; onOverwrite: () => void }) {
  return (
    <Alert color="yellow" variant="light" title="Someone else changed this key" role="alert">
      <Text size="sm">Your changes were not saved.</Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" variant="default" onClick={onLoad}>
          Show theirs
        </Button>
        <Button size="xs" variant="default" onClick={onOverwrite}>
          Overwrite with mine
        </Button>
      </Group>
    </Alert>
  )
}

/** The same settings where they cannot be changed. */
export function FixedKeySettings({ of: key, why }: { of: Key; why: string }) {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {why}
      </Text>
      <div>
        <Text size="sm" fw={550}>
          Allowed models
        </Text>
        <Text size="sm" className={key.allowed_models === null ? '' : 'mono'}>
          {key.allowed_models === null ? 'Every model.' : key.allowed_models.join(', ')}
        </Text>
      </div>
      <div>
        <Text size="sm" fw={550}>
          Limits
        </Text>
        <LimitsInWords limits={key.limits} />
      </div>
    </Stack>
  )
}
