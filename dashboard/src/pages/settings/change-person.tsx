import { Button, Group, Stack, Switch } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useChange } from '../../api/hooks.ts'
import { problemAt } from '../../api/problem.ts'
import { type Access, AccessFields } from '../../components/access-fields.tsx'
import { FormError } from '../../components/form-error.tsx'
import { FormModal } from '../../components/forms/typed-guard.tsx'
import { tell } from '../../components/tell.ts'
import { nameOf, type Person } from './person.ts'

export function ChangePerson({ of: person, onClose }: { of: Person; onClose: () => void }) {
  const update = useChange('people.update')
  const endSessions = useChange('people.end-sessions')
  const before: Access = { role: person.role, workspaces: person.workspaces ?? [] }
  const [access, setAccess] = useState(before)
  const [isDisabled, setDisabled] = useState(person.disabled_at !== null)
  const params = { id: person.id }
  const done = (words: string) => ({
    onSuccess: () => {
      tell(words)
      onClose()
    },
  })

  function submit(event: FormEvent) {
    event.preventDefault()
    // A role from their groups stays one unless it is changed here.
    const isGiven = JSON.stringify(access) !== JSON.stringify(before)
    const { role, workspaces } = access
    const given = isGiven ? { role, workspaces: workspaces.length === 0 ? null : workspaces } : {}
    update.mutate({ params, body: { ...given, disabled: isDisabled } }, done(`${nameOf(person)} saved`))
  }

  return (
    <FormModal opened onClose={onClose} title={nameOf(person)} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <AccessFields value={access} onChange={setAccess} error={problemAt(update.error, 'workspaces')} />
          <Switch
            label="Disabled"
            description="Ends their sessions now. They can’t sign in until you turn this off."
            checked={isDisabled}
            onChange={(event) => setDisabled(event.currentTarget.checked)}
          />
          <FormError error={update.error ?? endSessions.error} fields={['workspaces']} />
          <Group justify="space-between">
            <Button
              variant="default"
              loading={endSessions.isPending}
              onClick={() => endSessions.mutate({ params }, done(`${nameOf(person)} is signed out everywhere`))}
            >
              Sign them out everywhere
            </Button>
            <Group>
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={update.isPending}>
                Save
              </Button>
            </Group>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}
